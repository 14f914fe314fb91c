"""`python -m numberline` is `numberline`."""

from numberline.cli import main

main()

"""`python -m numberline`."""

from numberline.startup import main

main()

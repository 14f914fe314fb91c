"""How a printed sheet looks: black on white, in millimetres, on A4 or Letter."""

from __future__ import annotations

from typing import NamedTuple


class Paper(NamedTuple):
    """A kind of paper, in millimetres; between the margins both are 180 wide."""

    name: str
    width: float
    height: float
    side_margin: float
    """The margin at either side."""

    @property
    def inner_height(self) -> float:
        """How much of its height is between the margins."""
        return self.height - 2 * PAGE_MARGIN_MM

    @property
    def style(self) -> str:
        """The size of the page as a style sheet, for the printer and for the screen."""
        return (
            f"@page {{ size: {self.width}mm {self.height}mm; margin: {PAGE_MARGIN_MM}mm {self.side_margin}mm; }}\n"
            f"@media screen {{ .part {{ width: {self.width}mm; min-height: {self.height}mm;"
            f" padding: {PAGE_MARGIN_MM}mm {self.side_margin}mm; }} }}\n"
        )


PAGE_MARGIN_MM = 14
"""Above and below."""
PAPERS = {"a4": Paper("A4", 210.0, 297.0, 15.0), "letter": Paper("Letter", 215.9, 279.4, 17.95)}

SHEET_CSS = """
* { box-sizing: border-box; }
html { color-scheme: light; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
body {
  margin: 0; background: #fff; color: #000; overflow-wrap: anywhere;
  font: 12pt/1.45 "Atkinson Hyperlegible", Verdana, "DejaVu Sans", system-ui, sans-serif;
}
main { width: 180mm; margin: 0 auto; }
svg { display: block; overflow: visible; }
p { margin: 0 0 2.5mm; }
h1 { margin: 0; font-size: 22pt; line-height: 1.15; }
h2 { margin: 5mm 0 1.5mm; font-size: 13pt; line-height: 1.3; }
.part { break-before: page; }
.part:first-of-type { break-before: auto; }
.part > header {
  display: flex; justify-content: space-between; align-items: baseline; gap: 6mm;
  margin-bottom: 4mm; padding-bottom: 2mm; border-bottom: .6mm solid #000;
}
.part > header h1 { font-size: 17pt; }
.kind { flex: none; font-size: 11pt; font-weight: 700; }
h1, h2, header { break-after: avoid; }
section, figure, tr, .board, .line, .cuts, .example, .first { break-inside: avoid; }
.hint { color: #222; font-size: 11pt; }
figure { margin: 0 0 3mm; }
figcaption { margin-bottom: 1mm; }

/* The rules */
.opening { font-size: 13pt; }
.win { margin: 4mm .4mm; padding: 3mm 4mm; border: .7mm solid #000; border-radius: 3mm; }
.win h2, .card h2 { margin-top: 0; }
.win p:last-child, .card p:last-child { margin-bottom: 0; }
.rule { display: grid; grid-template-columns: 34mm 1fr; gap: 0 4mm; padding: 1.6mm 0; border-top: .2mm solid #999; }
.rule h2 { margin: 0; font-size: 12pt; break-after: auto; }
.rule p { margin: 0; }

/* The board */
.board { margin: 0 auto 4mm; }
.board text { font: 700 3px Verdana, "DejaVu Sans", sans-serif; }
.board .place { font-size: 6.2px; }
.board .small { font-size: 2.9px; }
.middle { text-anchor: middle; }
.field { fill: #fff; stroke: #000; stroke-width: .5; }
.goal { fill: none; stroke: #000; stroke-width: .9; }
.flag { fill: #000; stroke: #000; stroke-width: .5; }
.bend { stroke: #000; stroke-width: 5; }
.glue { fill: #eee; stroke: #000; stroke-width: .25; stroke-dasharray: 2 1.5; }
.cuts { display: flex; flex-wrap: wrap; }
.cut { width: 22.5mm; height: 22.5mm; margin: 0 -.3mm -.3mm 0; padding: 3.5mm; border: .3mm dashed #000; }
.cut .token { width: 15mm; height: 15mm; }
.last { display: flex; flex-wrap: wrap; margin-top: 2mm; }
.last span {
  width: 18mm; height: 18mm; margin: 0 -.5mm -.5mm 0; padding: 1mm 1.5mm; border: .5mm solid #000;
  font-weight: 700; line-height: 1.2;
}

/* Tokens and lines */
.token text {
  font-family: Verdana, "DejaVu Sans", sans-serif; font-weight: 700; text-anchor: middle; dominant-baseline: central;
}
.token > :first-child { stroke: #000; stroke-width: 1.4; stroke-linejoin: round; }
.white > :first-child { fill: #fff; }
.white text { fill: #000; }
.black > :first-child { fill: #000; }
.black text { fill: #fff; }
.line { display: flex; flex-wrap: wrap; align-items: flex-end; row-gap: 2mm; margin: 1mm 0 2mm; padding-left: .4mm; }
.spot { flex: none; width: var(--wide); margin-right: -.3mm; text-align: center; font-size: 9.5pt; line-height: 1; }
.stack { display: flex; flex-wrap: wrap-reverse; justify-content: center; gap: .3mm; margin: 0 -.6mm .5mm; }
.stack .token { flex: none; width: 6.4mm; height: 6.4mm; }
.spot b {
  display: flex; align-items: center; justify-content: center; height: 7mm; border: .3mm solid #000;
  font-weight: 400; font-variant-numeric: tabular-nums; white-space: nowrap;
}
.spot.aim b { border: .9mm double #000; border-width: 1.1mm; font-weight: 700; }
.spot.asked b { border-width: .6mm; }
.spot.idle b { border-style: dotted; color: #777; }
.spot.marked b { font-weight: 700; }
.spot i { display: block; height: 3.6mm; padding-top: .6mm; font: 700 7pt/1 Verdana, "DejaVu Sans", sans-serif; }
.spot.gap { width: 6mm; padding-bottom: 6mm; }
.spot.idle.aim b { border-width: .3mm; }
.spot b { position: relative; }
.cross { position: absolute; inset: 0; width: 100%; height: 100%; stroke: #000; stroke-width: .35mm; }
.cross path { vector-effect: non-scaling-stroke; }

/* The worksheet and the answers */
.who { display: flex; gap: 8mm; margin-bottom: 4mm; }
.who span { flex: 1; border-bottom: .3mm solid #000; padding-bottom: .5mm; }
.who span:first-child { flex: 2; }
.task { display: grid; grid-template-columns: 9mm 1fr; gap: 0 1mm; margin: 0 0 3mm; padding-top: 1mm; }
.number {
  display: block; width: 7.5mm; height: 7.5mm; border: .4mm solid #000; border-radius: 50%; text-align: center;
  font-weight: 700; font-size: 11pt; line-height: 6.7mm;
}
.task p { margin: .8mm 0 0; }
.choices { display: flex; flex-wrap: wrap; gap: 1.5mm 6mm; margin: 0; padding: 0; list-style: none; }
.choices li { display: flex; align-items: center; gap: 1.8mm; white-space: nowrap; font-weight: 700; }
.choices li.none { font-weight: 400; }
.box { display: inline-block; width: 5mm; height: 5mm; border: .4mm solid #000; border-radius: .8mm; }
.blank { display: inline-block; width: 70mm; border-bottom: .3mm solid #000; }
.rows { width: 100%; border-collapse: collapse; font-size: 10.5pt; line-height: 1.35; }
.rows td:first-child { width: 9mm; }
.rows td { padding: 1mm 3mm 1mm 0; border-bottom: .2mm solid #999; }
.rows .answer { width: 38mm; font-weight: 700; }
.key { margin: 0; font-size: 10.5pt; }
.key p { margin: 0; }

@media screen {
  body { background: #ddd; }
  main { width: auto; display: flex; flex-direction: column; align-items: center; }
  .part { margin: 6mm 0; background: #fff; }
  .for-screen { margin: 6mm 4mm 0; text-align: center; }
}
@media print { .for-screen { display: none; } }
"""

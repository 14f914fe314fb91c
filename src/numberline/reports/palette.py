"""How pages and pictures look: one palette, by day and by night, and one style sheet for all pages."""

from __future__ import annotations

from typing import NamedTuple


class ThemeColor(NamedTuple):
    """One colour, on light ground and on dark."""

    light: str
    dark: str


PALETTE = {
    "paper": ThemeColor("#f6f4ef", "#14171b"),
    "card": ThemeColor("#ffffff", "#1d2126"),
    "ink": ThemeColor("#1f2328", "#e8e6e1"),
    "soft": ThemeColor("#5d6570", "#9aa3ae"),
    "rule": ThemeColor("#e2ded4", "#30363d"),
    "warm": ThemeColor("#fff6df", "#2b2618"),
    "player-1": ThemeColor("#1f6391", "#6db8ea"),
    "player-2": ThemeColor("#9c3567", "#ef8fbd"),
    "win": ThemeColor("#1a7343", "#5fcf92"),
    "loss": ThemeColor("#b03a25", "#ff8f78"),
    "endless": ThemeColor("#8a6100", "#e3b654"),
    "open": ThemeColor("#4f5d8c", "#a9b4e0"),
}
"""What everything is drawn in: the ground and what is written on it, the players, and the values."""


LAYOUT_CSS = """
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main { max-width: 56rem; margin: 0 auto; padding: 1rem; }
article {
  background: var(--card); border: 1px solid var(--rule); border-radius: 14px;
  padding: clamp(1rem, 4vw, 2rem); margin: 0 0 1.5rem;
}
article > :last-child, .turning > :last-child { margin-bottom: 0; }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.2; }
h2 { margin: 0 0 .6rem; font-size: 1.15rem; line-height: 1.3; }
p { margin: .4rem 0 1rem; }
.eyebrow { margin: 0 0 .25rem; font-size: .85rem; }
.eyebrow, .lead, .note { color: var(--soft); }
.note { margin: .75rem 0 0; font-size: .85rem; }
.turning {
  margin: .8rem 0 1.25rem; padding: .8rem 1rem; background: var(--warm);
  border-left: 4px solid var(--endless); border-radius: 6px;
}
footer { padding: 0 1rem 2rem; text-align: center; color: var(--soft); font-size: .85rem; }

.player-1 { color: var(--player-1); fill: var(--player-1); }
.player-2 { color: var(--player-2); fill: var(--player-2); }
.win, .good .remark { color: var(--win); }
.loss, .bad .remark { color: var(--loss); fill: var(--loss); }
.endless, .inexact .remark { color: var(--endless); fill: var(--endless); }
.open { color: var(--open); }
.quiet .remark { color: var(--soft); }

.players { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; margin-bottom: 1.25rem; }
.players h2 { margin: 0; font-size: 1rem; }
.players strong { display: block; color: var(--ink); font-size: 1.9rem; line-height: 1.2; }
.players span { color: var(--soft); font-size: .85rem; }
.meter { height: 6px; margin-top: .4rem; background: var(--rule); border-radius: 3px; overflow: hidden; }
.meter i { display: block; height: 100%; background: currentColor; }

figure { margin: 0 0 1.25rem; font-size: .85rem; }
svg { display: block; width: 100%; }
.chart { height: 200px; margin: .35rem 0; }
.chart g:hover { opacity: .7; }
.axis { stroke: var(--soft); vector-effect: non-scaling-stroke; }
.scale { display: flex; justify-content: space-between; color: var(--soft); }

.scores { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: 0 2.5rem; padding-right: 1.5rem; }
.scores > span { max-width: 14rem; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; line-height: 28px; }
.scores svg { height: 28px; overflow: visible; }
.scores line { stroke: var(--rule); }
.scores .interval { stroke: var(--player-1); stroke-width: 4; stroke-linecap: round; }
.scores .perfect { stroke: var(--player-2); stroke-width: 2; }
.scores .scale { grid-column: 2; margin: .25rem -1.5rem 0; }
.scores .scale span { flex: 0 0 3rem; text-align: center; white-space: nowrap; }

table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--soft); font-size: .8rem; font-weight: 500; vertical-align: bottom; }
th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--rule); }
td { vertical-align: top; }
.move { font-weight: 700; }
.worth { white-space: nowrap; }
.moves td.remark { width: 45%; }
.number, aside { color: var(--soft); }
aside { margin-top: 1rem; font-size: .85rem; }
aside ul { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: 0; padding: 0; list-style: none; }

.figures { margin-bottom: 1.25rem; font-size: .85rem; }
.figures th, .figures td { padding: .3rem 0 .3rem .8rem; text-align: right; white-space: nowrap; }
.figures .name { padding-left: 0; padding-right: .4rem; text-align: left; white-space: normal; min-width: 5rem; }

.soft { color: var(--soft); fill: var(--soft); }
.big { font-size: 1.1rem; }
.balance { display: grid; grid-template-columns: max-content 1fr max-content; gap: 0 .9rem; align-items: center; }
.balance > b { grid-column: 1 / -1; margin: .5rem 0 .2rem; font-weight: 500; }
.balance svg { height: 26px; overflow: visible; }
.balance line { stroke: var(--rule); }
.balance .stem { stroke: var(--player-1); stroke-width: 3; }
.balance .band { fill: var(--win); opacity: .22; }
.balance .skill { text-align: right; }
.balance .scale { grid-column: 2; margin: .25rem -1.5rem 0; }
.balance .scale span { flex: 0 0 3rem; text-align: center; white-space: nowrap; }
.skill, .share { font-variant-numeric: tabular-nums; white-space: nowrap; }
.lengths { height: 160px; margin: .35rem 0; }
.lengths g:hover { opacity: .7; }
.faint { fill: var(--player-1); opacity: .35; }
.wide { overflow-x: auto; margin: .5rem 0; }
.places { max-width: none; font-size: 12px; font-variant-numeric: tabular-nums; }
.places text { text-anchor: middle; }
.places text.name { text-anchor: end; }
.places rect { opacity: .2; }
.places .win { fill: var(--win); }
.places .open { fill: var(--open); }
.metrics td:first-child { width: 8.5rem; font-weight: 600; }
.metrics .figure { width: 9rem; white-space: nowrap; }
.metrics .was { color: var(--soft); }
.heat { width: auto; font-size: .85rem; }
.heat th, .heat td { padding: .25rem .4rem; border: 1px solid var(--card); text-align: center; white-space: nowrap; }
.heat th[scope=row] { position: sticky; left: 0; background: var(--card); text-align: right; }
.heat .fair { outline: 2px solid var(--win); outline-offset: -2px; font-weight: 700; }

@media screen and (max-width: 44rem) {
  main { padding: .5rem; }
  thead { display: none; }
  tr { display: grid; gap: 0 .3rem; padding: .35rem 0; border-bottom: 1px solid var(--rule); }
  td, .figures td { padding: 0; border: 0; }
  .moves tr { grid-template-columns: 2.4rem 1fr 3.2rem 4rem 4rem; }
  .moves td.remark { grid-column: 2 / -1; width: auto; }
  .moves td.remark:empty { display: none; }
  .figures tr { grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 0 1.5rem; }
  .figures td { display: flex; justify-content: flex-end; gap: .8rem; }
  .figures td::before { content: attr(data-label); flex: 1 0 auto; color: var(--soft); text-align: left; }
  .figures .name { grid-column: 1 / -1; padding: 0; }
  .figures .name:first-child { justify-content: flex-start; font-weight: 700; }
  .figures .name:first-child::before { content: none; }
  .scores { grid-template-columns: 1fr; padding-left: 1.5rem; }
  .scores > span { max-width: none; margin: .3rem 0 0 -1.5rem; line-height: 1.4; }
  .scores .scale { grid-column: 1; }
  .balance { gap: 0 .5rem; }
  .balance .scale span:nth-child(even) { visibility: hidden; }
  .heat thead { display: table-header-group; }
  .heat tr { display: table-row; }
  .heat td { border: 1px solid var(--card); padding: .25rem .4rem; }
  .metrics tr { grid-template-columns: 1fr auto; }
  .metrics.two tr { grid-template-columns: 1fr minmax(5rem, auto) minmax(5rem, auto); }
  .metrics td, .metrics td:first-child, .metrics .figure { width: auto; }
  .metrics .said { grid-column: 1 / -1; color: var(--soft); }
}
@media print {
  html { font-size: 12px; }
  body { background: none; }
  article { padding: 0; border: 0; }
  .eyebrow, h1, h2 { break-after: avoid; }
  tr, figure, .players { break-inside: avoid; }
}
"""
"""How the parts of a page look, whatever the palette is."""


def _variables(ground: str) -> str:
    return " ".join(f"--{name}: {getattr(shades, ground)};" for name, shades in PALETTE.items())


PALETTE_CSS = f"""
:root {{ {_variables("light")} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {_variables("dark")} }} }}
"""
"""The palette as a style sheet; what is printed is always on light ground."""
PAGE_CSS = PALETTE_CSS + LAYOUT_CSS
"""The style sheet of every page."""

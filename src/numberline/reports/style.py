"""How the web page of a review looks."""

from __future__ import annotations

STYLE = """
:root {
  --paper: #f6f4ef; --card: #ffffff; --ink: #1f2328; --soft: #5d6570; --rule: #e2ded4;
  --one: #1f6391; --two: #9c3567; --win: #1a7343; --loss: #b03a25; --open: #8a6100; --warm: #fff6df;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --card: #1d2126; --ink: #e8e6e1; --soft: #9aa3ae; --rule: #30363d;
    --one: #6db8ea; --two: #ef8fbd; --win: #5fcf92; --loss: #ff8f78; --open: #e3b654; --warm: #2b2618;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main { max-width: 52rem; margin: 0 auto; padding: 1rem; }
article {
  background: var(--card); border: 1px solid var(--rule); border-radius: 14px;
  padding: clamp(1rem, 4vw, 2rem); margin: 0 0 1.5rem;
}
h1 { margin: 0; font-size: 1.6rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 0; font-size: 1rem; overflow-wrap: anywhere; }
.eyebrow { margin: 0 0 .25rem; color: var(--soft); font-size: .85rem; }
.result { margin: .4rem 0 1rem; color: var(--soft); overflow-wrap: anywhere; }
.turning {
  margin: 0 0 1.25rem; padding: .8rem 1rem; background: var(--warm);
  border-left: 4px solid var(--open); border-radius: 6px; overflow-wrap: anywhere;
}
b.p1, td.p1, .player.p1 h2 { color: var(--one); }
b.p2, td.p2, .player.p2 h2 { color: var(--two); }
.players { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; margin-bottom: 1.25rem; }
.player strong { display: block; font-size: 1.9rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.player span { color: var(--soft); font-size: .85rem; }
.meter { height: 6px; margin-top: .4rem; background: var(--rule); border-radius: 3px; overflow: hidden; }
.meter i { display: block; height: 100%; background: var(--one); }
.p2 .meter i { background: var(--two); }
figure { margin: 0 0 1.25rem; font-size: .85rem; }
svg { display: block; width: 100%; height: 200px; margin: .35rem 0; }
rect.p1 { fill: var(--one); }
rect.p2 { fill: var(--two); }
rect.nobody { fill: var(--open); }
rect.bad { fill: var(--loss); }
g:hover rect { opacity: .7; }
.axis { stroke: var(--soft); stroke-width: 1; vector-effect: non-scaling-stroke; }
.scale { display: flex; justify-content: space-between; color: var(--soft); }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--soft); font-size: .8rem; font-weight: 500; }
th, td { padding: .3rem .5rem .3rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
td.number { color: var(--soft); }
td.name { overflow-wrap: anywhere; }
td.move { font-weight: 700; }
td.remark { width: 45%; }
.win { color: var(--win); white-space: nowrap; }
.loss { color: var(--loss); white-space: nowrap; }
.endless, .open { color: var(--open); white-space: nowrap; }
tr.bad .remark { color: var(--loss); }
tr.good .remark { color: var(--win); }
tr.inexact .remark { color: var(--open); }
tr.quiet .remark { color: var(--soft); }
aside { margin-top: 1rem; color: var(--soft); font-size: .85rem; }
aside ul { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: 0; padding: 0; list-style: none; }
aside p { margin: .5rem 0 0; }
footer { padding: 0 1rem 2rem; text-align: center; color: var(--soft); font-size: .85rem; }
@media (max-width: 34rem) {
  main { padding: .5rem; }
  thead { display: none; }
  tr {
    display: grid; grid-template-columns: 2.4rem 1fr 3.2rem 4rem 4rem; gap: 0 .3rem;
    padding: .35rem 0; border-bottom: 1px solid var(--rule);
  }
  td { padding: 0; border: 0; }
  td.remark { grid-column: 2 / -1; width: auto; }
  td.remark:empty { display: none; }
}
@media print { body { background: none; } article { border: 0; } }
"""

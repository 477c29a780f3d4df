"""The checklist of a purchase as people read it: pages, tickable blocks, sheets."""

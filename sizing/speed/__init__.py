"""Speed: what a step reads and computes, how fast that goes, and what people see of it."""

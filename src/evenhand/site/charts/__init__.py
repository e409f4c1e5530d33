"""Charts: Altair specifications of aggregate rows, drawn to SVG when the site is built."""

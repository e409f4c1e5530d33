"""The lake: declared tables, their writing, their reading and what was set aside."""

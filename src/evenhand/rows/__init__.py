"""The rows behind the figures, as they are published: enough to count every figure again, and nobody's name."""

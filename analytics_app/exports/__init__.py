"""What leaves evalweb as files: one module a document; they stream."""

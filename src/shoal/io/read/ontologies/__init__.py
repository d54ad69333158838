"""Readers of ontologies: SKOS as Turtle, N-Triples or RDF/XML, and OBO; `io.read.taxonomies` chooses among them."""

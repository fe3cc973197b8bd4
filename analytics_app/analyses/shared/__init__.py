"""What several analyses share: ratings, pairs and labels as columns, conditions, families of tests."""

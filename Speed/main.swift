measurePolicy()

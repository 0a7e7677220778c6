// Placeholder until the layer is here.

package io.rocketbufs.livestream;

import java.nio.file.Path;

/**
 * Certificate and private key.
 *
 * @param certificate PEM file; null for a self-made one
 * @param key PEM file; null for a self-made one
 * @param directory where the self-made ones are kept
 */
public record TlsSettings(Path certificate, Path key, Path directory) {}

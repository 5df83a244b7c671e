package io.rocketbufs.web;

/**
 * What a client asks a {@link PageServer} for.
 *
 * @param path decoded, without the query
 * @param authorization value of the header; empty if there is none
 */
public record PageRequest(String path, String authorization) {}

package io.rocketbufs.livestream.page;

import java.util.List;
import java.util.function.Supplier;

/**
 * The identity of a server, for its page.
 *
 * @param role "relay" or "edge"
 * @param peers what connects to it: "edges" or "viewers"
 * @param startedMs when it started, in milliseconds since 1970
 * @param listeners returns where it listens, for display
 */
public record ServerIdentity(String role, String peers, long startedMs, Supplier<List<String>> listeners) {}

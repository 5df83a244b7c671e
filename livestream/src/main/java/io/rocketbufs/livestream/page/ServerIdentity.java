package io.rocketbufs.livestream.page;

import java.util.List;
import java.util.function.Supplier;

/**
 * The identity of a server, for display on its operator page.
 *
 * @param role "relay" or "edge"
 * @param peers the kind of clients that connect to the server: "edges" or "viewers"
 * @param startedMs time at which the server started, in milliseconds since 1970
 * @param listeners supplies the addresses on which the server listens, for display
 */
public record ServerIdentity(String role, String peers, long startedMs, Supplier<List<String>> listeners) {}

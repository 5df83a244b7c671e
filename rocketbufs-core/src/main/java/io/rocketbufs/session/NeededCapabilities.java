package io.rocketbufs.session;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.TextLayout;
import java.util.List;

/**
 * The capabilities that the protocol requires from a transport. A transport that lacks one of them is refused
 * immediately instead of failing later.
 */
public final class NeededCapabilities {
    /** Number of bits of immediate data that {@link io.rocketbufs.wire.ImmediateLayout} uses. */
    private static final int IMMEDIATE_BITS = 32;

    private static final int LONGEST_CONTROL = ControlLayout.HEADER_LENGTH + TextLayout.MAX_WRITTEN_LENGTH;
    private static final List<Capabilities.Operation> OPERATIONS =
            List.of(Capabilities.Operation.WRITE_WITH_IMMEDIATE, Capabilities.Operation.SEND);

    private final String transport;

    private NeededCapabilities(String transport) {
        this.transport = transport;
    }

    /**
     * Checks the capabilities of a transport, or of one of its connections: a connection over another NIC may offer
     * less.
     *
     * @param transport the transport's name
     * @throws TransportException with code UNAVAILABLE, naming the transport, the first insufficient capability, and
     *     the remedy
     */
    public static void check(String transport, Capabilities offered) {
        new NeededCapabilities(transport).check(offered);
    }

    private void check(Capabilities offered) {
        needAtLeast("immediateBits", offered.immediateBits(), IMMEDIATE_BITS);
        // Credit and arrivals depend on the length.
        need("lengthWithArrival", offered.lengthWithArrival());
        // Each connection numbers its subscriptions from 0.
        need("connectionWithArrival", offered.connectionWithArrival());
        need("ordered", offered.ordered());
        needAtLeast("vecsPerWrite", offered.vecsPerWrite(), 1);
        needAtLeast("longestWrite", offered.longestWrite(), 1);
        needAtLeast("longestControl", offered.longestControl(), LONGEST_CONTROL);
        for (Capabilities.Operation operation : OPERATIONS) {
            need(operation.name(), offered.operations().contains(operation));
        }
    }

    private void need(String capability, boolean offered) {
        if (!offered) {
            throw refusal(capability + "=false", "needs it");
        }
    }

    private void needAtLeast(String capability, int offered, int least) {
        if (offered < least) {
            throw refusal(capability + "=" + offered, "needs at least " + least);
        }
    }

    private TransportException refusal(String offered, String need) {
        return new TransportException(
                TransportException.Code.UNAVAILABLE,
                "transport \"" + transport + "\" offers " + offered + ", but the protocol " + need
                        + "; set rocketbufs.transport to another transport");
    }
}

package io.rocketbufs.session;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.TextLayout;
import java.util.Set;

/** What the protocol needs of a transport; one that offers less is refused instead of failing under way. */
final class NeededCapabilities {
    /** Bits of the immediate data that {@link io.rocketbufs.wire.ImmediateLayout} uses. */
    private static final int IMMEDIATE_BITS = 32;

    private static final int LONGEST_CONTROL = ControlLayout.HEADER_LENGTH + TextLayout.MAX_WRITTEN_LENGTH;
    private static final Set<Capabilities.Operation> OPERATIONS =
            Set.of(Capabilities.Operation.WRITE_WITH_IMMEDIATE, Capabilities.Operation.SEND);

    private NeededCapabilities() {}

    /**
     * Checks a transport.
     *
     * @throws TransportException with code UNAVAILABLE, naming what is missing
     */
    static void check(Capabilities offered) {
        need(offered.immediateBits() >= IMMEDIATE_BITS, "immediateBits=" + offered.immediateBits(), "32");
        need(offered.ordered(), "ordered=false", "true");
        need(offered.vecsPerWrite() >= 1, "vecsPerWrite=" + offered.vecsPerWrite(), "1");
        need(offered.longestWrite() >= 1, "longestWrite=" + offered.longestWrite(), "1");
        need(
                offered.longestControl() >= LONGEST_CONTROL,
                "longestControl=" + offered.longestControl(),
                Integer.toString(LONGEST_CONTROL));
        need(offered.operations().containsAll(OPERATIONS), "operations=" + offered.operations(), OPERATIONS.toString());
    }

    private static void need(boolean met, String offered, String least) {
        if (!met) {
            throw new TransportException(
                    TransportException.Code.UNAVAILABLE,
                    "the transport offers " + offered + ", but the protocol needs at least " + least);
        }
    }
}

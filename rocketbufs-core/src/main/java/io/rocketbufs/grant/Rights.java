package io.rocketbufs.grant;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.wire.GrantLayout;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Conversions between sets of rights and the bits of {@link GrantLayout}. */
final class Rights {
    private Rights() {}

    static int bit(Right right) {
        return switch (right) {
            case WRITE -> GrantLayout.WRITE;
            case READ -> GrantLayout.READ;
            case ATOMIC -> GrantLayout.ATOMIC;
        };
    }

    static int bits(Set<Right> rights) {
        int bits = 0;
        for (Right right : rights) {
            bits |= bit(right);
        }
        return bits;
    }

    /** Returns an unmodifiable set of the rights with the given bits. */
    static Set<Right> of(int bits) {
        Set<Right> rights = EnumSet.noneOf(Right.class);
        for (Right right : Right.values()) {
            if ((bits & bit(right)) != 0) {
                rights.add(right);
            }
        }
        return Collections.unmodifiableSet(rights);
    }

    /** Returns the rights that the transport itself can grant to the peer; core emulates the others. */
    static Set<Right> nativeOf(Set<Right> rights, Capabilities capabilities) {
        Set<Right> offered = EnumSet.noneOf(Right.class);
        for (Right right : rights) {
            boolean isNative = right == Right.WRITE ? !capabilities.receiverPlaces() : capabilities.offers(right);
            if (isNative) {
                offered.add(right);
            }
        }
        return offered;
    }

    /**
     * Returns true if core may carry out a peer's atomic operation on the processor. This is not allowed if a device
     * also carries out atomic operations on the memory, and these are not atomic with respect to those of the
     * processor.
     */
    static boolean mayEmulateAtomics(Capabilities capabilities) {
        return !capabilities.offers(Right.ATOMIC) || capabilities.coherentAtomics();
    }
}

package io.rocketbufs.rocketnet.stub;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import java.util.Set;

/** Sets of capabilities for a {@link StubConnection}. */
public final class StubTransport {
    private StubTransport() {}

    /** Returns TCP-like capabilities: the receiver places the data. */
    public static Capabilities socket(int longestWrite) {
        return capabilities(longestWrite, true, Set.of(Operation.WRITE_WITH_IMMEDIATE, Operation.SEND));
    }

    /** Returns TCP-like capabilities without the ability to withdraw committed writes. */
    public static Capabilities withoutWithdrawal() {
        return capabilities(Integer.MAX_VALUE, false, Set.of(Operation.WRITE_WITH_IMMEDIATE, Operation.SEND));
    }

    /** Returns TCP-like capabilities with words. */
    public static Capabilities words() {
        return capabilities(
                Integer.MAX_VALUE, true, Set.of(Operation.WRITE_WITH_IMMEDIATE, Operation.SEND, Operation.WRITE_WORD));
    }

    /** Returns RDMA-like capabilities: the sender addresses the memory, and a revocation stops writes. */
    public static Capabilities oneSided() {
        return builder(Integer.MAX_VALUE, Set.of(Operation.WRITE_WITH_IMMEDIATE, Operation.SEND))
                .receiverPlaces(false)
                .revokeFences(true)
                .build();
    }

    private static Capabilities capabilities(int longestWrite, boolean withdraws, Set<Operation> operations) {
        return builder(longestWrite, operations).withdraws(withdraws).build();
    }

    private static Capabilities.Builder builder(int longestWrite, Set<Operation> operations) {
        return Capabilities.builder()
                .immediateBits(Integer.SIZE)
                .receiverPlaces(true)
                .lengthWithArrival(true)
                .connectionWithArrival(true)
                .vecsPerWrite(64)
                .longestWrite(longestWrite)
                .longestControl(16 * 1024)
                .ordered(true)
                .remoteCpu(true)
                .operations(operations);
    }
}

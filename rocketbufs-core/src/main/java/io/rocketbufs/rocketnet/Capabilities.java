package io.rocketbufs.rocketnet;

import java.util.Set;

/**
 * The capabilities of a transport. Core bases its decisions on this record, never on the transport's name. A transport
 * sets its capabilities by name, with a {@link #builder()}.
 *
 * @param immediateBits number of bits of immediate data that arrive with a write
 * @param receiverPlaces true if the receiver chooses where arriving bytes are stored ({@link TransportHandler#place});
 *     false if the sender addresses remote memory
 * @param lengthWithArrival true if an arrival reports its length
 * @param connectionWithArrival true if an arrival reports its connection, so that tags need only be unique within a
 *     connection
 * @param consumesReceive true if each arrival consumes a receive that the receiver has posted
 * @param vecsPerWrite maximum number of local ranges that one write can gather
 * @param longestWrite maximum number of bytes in one write; longer transfers are split into several writes
 * @param longestControl maximum number of bytes in one control message
 * @param injectLength maximum length of writes that are copied when posted; 0 if no write is copied
 * @param ordered true if the writes and control messages of a connection arrive in posting order
 * @param remoteCpu true if the receiver's processor moves the bytes
 * @param orderedPut maximum length in bytes of a put that the peer's processor sees completely before any part of a
 *     later put or word; 0 if no order is guaranteed, or there are no puts. After an arrival or a control message, the
 *     peer sees all earlier puts regardless of this value
 * @param longestRead maximum number of bytes in one read; 0 without {@link Operation#READ}
 * @param readWindow maximum number of outstanding reads and atomic operations of a connection; 0 if the transport
 *     offers neither
 * @param revokeFences true if no operation of the peer can reach the memory after {@link TransportConnection#revoke}
 *     has returned; false if a write in progress may continue until the connection is closed
 * @param coherentAtomics true if the peer's atomic operations and those by this machine's processor are mutually
 *     atomic; false if a device executes the peer's operations. The owner of a word must then also use the device
 *     ({@link TransportConnection#atomicWord}). Meaningless without atomic operations
 * @param withdraws true if the local memory of committed writes can be freed at any time
 *     ({@link TransportConnection#withdraw}); false if this memory stays in use until the writes have completed
 * @param completion the stage of a write that a completion reports
 * @param operations the operations that the transport supports
 */
public record Capabilities(
        int immediateBits,
        boolean receiverPlaces,
        boolean lengthWithArrival,
        boolean connectionWithArrival,
        boolean consumesReceive,
        int vecsPerWrite,
        int longestWrite,
        int longestControl,
        int injectLength,
        boolean ordered,
        boolean remoteCpu,
        int orderedPut,
        int longestRead,
        int readWindow,
        boolean revokeFences,
        boolean coherentAtomics,
        boolean withdraws,
        Completion completion,
        Set<Operation> operations) {

    /** Copies the set of operations. */
    public Capabilities {
        operations = Set.copyOf(operations);
    }

    /** Returns true if the transport supports an operation. Allocates nothing. */
    public boolean offers(Operation operation) {
        return operations.contains(operation);
    }

    /** Returns true if peers can be granted the given right to memory. */
    public boolean offers(Right right) {
        return switch (right) {
            case WRITE -> true;
            case READ -> offers(Operation.READ);
            case ATOMIC -> offers(Operation.FETCH_ADD) || offers(Operation.COMPARE_SWAP);
        };
    }

    /** Returns a builder of capabilities that initially contain no operation. */
    public static Builder builder() {
        return new Builder();
    }

    /** The stage of a write that a completion reports. A write is posted, sent, delivered and finally consumed. */
    public enum Completion {
        /** The local memory may be reused. */
        SENT,
        /** The bytes are in remote memory. */
        DELIVERED
    }

    /** An operation of a connection. */
    public enum Operation {
        /** Writes local memory to a remote buffer and notifies the receiver with immediate data. */
        WRITE_WITH_IMMEDIATE,
        /** Sends a small message to the receiver's control handler. */
        SEND,
        /** Writes 8 bytes into a word that the peer has lent, without notifying the peer's processor. */
        WRITE_WORD,
        /** Writes local memory to a remote buffer without notifying the peer's processor. */
        PUT,
        /** Reads the peer's memory without involving the peer's application. */
        READ,
        /** Adds to one of the peer's words, and returns the number before the addition. */
        FETCH_ADD,
        /**
         * Replaces one of the peer's words if it has the expected value, and returns the number before the operation.
         */
        COMPARE_SWAP
    }

    /**
     * A builder of capabilities. Each method sets the component of the same name. By default, every number is 0, every
     * flag is false, no operation is supported, and a completion reports {@link Completion#SENT}.
     *
     * <p><b>Thread-safety:</b> not thread-safe.
     */
    public static final class Builder {
        private int immediateBits;
        private boolean receiverPlaces;
        private boolean lengthWithArrival;
        private boolean connectionWithArrival;
        private boolean consumesReceive;
        private int vecsPerWrite;
        private int longestWrite;
        private int longestControl;
        private int injectLength;
        private boolean ordered;
        private boolean remoteCpu;
        private int orderedPut;
        private int longestRead;
        private int readWindow;
        private boolean revokeFences;
        private boolean coherentAtomics;
        private boolean withdraws;
        private Completion completion = Completion.SENT;
        private Set<Operation> operations = Set.of();

        private Builder() {}

        public Builder immediateBits(int value) {
            immediateBits = value;
            return this;
        }

        public Builder receiverPlaces(boolean value) {
            receiverPlaces = value;
            return this;
        }

        public Builder lengthWithArrival(boolean value) {
            lengthWithArrival = value;
            return this;
        }

        public Builder connectionWithArrival(boolean value) {
            connectionWithArrival = value;
            return this;
        }

        public Builder consumesReceive(boolean value) {
            consumesReceive = value;
            return this;
        }

        public Builder vecsPerWrite(int value) {
            vecsPerWrite = value;
            return this;
        }

        public Builder longestWrite(int value) {
            longestWrite = value;
            return this;
        }

        public Builder longestControl(int value) {
            longestControl = value;
            return this;
        }

        public Builder injectLength(int value) {
            injectLength = value;
            return this;
        }

        public Builder ordered(boolean value) {
            ordered = value;
            return this;
        }

        public Builder remoteCpu(boolean value) {
            remoteCpu = value;
            return this;
        }

        public Builder orderedPut(int value) {
            orderedPut = value;
            return this;
        }

        public Builder longestRead(int value) {
            longestRead = value;
            return this;
        }

        public Builder readWindow(int value) {
            readWindow = value;
            return this;
        }

        public Builder revokeFences(boolean value) {
            revokeFences = value;
            return this;
        }

        public Builder coherentAtomics(boolean value) {
            coherentAtomics = value;
            return this;
        }

        public Builder withdraws(boolean value) {
            withdraws = value;
            return this;
        }

        public Builder completion(Completion value) {
            completion = value;
            return this;
        }

        public Builder operations(Set<Operation> value) {
            operations = value;
            return this;
        }

        /** Returns the capabilities. */
        public Capabilities build() {
            return new Capabilities(
                    immediateBits,
                    receiverPlaces,
                    lengthWithArrival,
                    connectionWithArrival,
                    consumesReceive,
                    vecsPerWrite,
                    longestWrite,
                    longestControl,
                    injectLength,
                    ordered,
                    remoteCpu,
                    orderedPut,
                    longestRead,
                    readWindow,
                    revokeFences,
                    coherentAtomics,
                    withdraws,
                    completion,
                    operations);
        }
    }
}

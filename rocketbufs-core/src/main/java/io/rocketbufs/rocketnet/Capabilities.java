package io.rocketbufs.rocketnet;

import java.util.Set;

/**
 * The capabilities of a transport. Core bases its decisions on this record, never on the transport's name.
 *
 * @param immediateBits number of bits of immediate data that arrive with a write
 * @param receiverPlaces true when the receiver decides where arriving bytes go ({@link TransportHandler#place}); false
 *     when the sender addresses remote memory
 * @param lengthWithArrival true when an arrival reports its length
 * @param connectionWithArrival true when an arrival reports its connection, so that tags need only be unique within a
 *     connection
 * @param consumesReceive true when each arrival uses up a receive that the receiver has posted
 * @param vecsPerWrite maximum number of local ranges that one write can gather
 * @param longestWrite maximum number of bytes in one write; longer transfers are split into several writes
 * @param longestControl maximum number of bytes in one control message
 * @param injectLength writes up to this length are copied when posted; 0 if nothing is copied
 * @param ordered true when the writes and control messages of a connection arrive in the order of posting
 * @param remoteCpu true when the receiver's processor moves the bytes
 * @param withdraws true when the local memory of committed writes can be freed immediately
 *     ({@link TransportConnection#withdraw}); false when this memory stays in use until the writes have completed
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
        boolean withdraws,
        Completion completion,
        Set<Operation> operations) {

    /** Copies the set of operations. */
    public Capabilities {
        operations = Set.copyOf(operations);
    }

    /** The stage of a write that a completion reports. A write is posted, then sent, then delivered, then consumed. */
    public enum Completion {
        /** The local memory may be reused. */
        SENT,
        /** The bytes are in remote memory. */
        DELIVERED
    }

    /** An operation of a connection. */
    public enum Operation {
        /** Writes memory to a remote buffer and notifies the receiver with immediate data. */
        WRITE_WITH_IMMEDIATE,
        /** Sends a small message to the receiver's control handler. */
        SEND,
        /** Writes 8 bytes into a word that the peer has lent, without notifying the peer's processor. */
        WRITE_WORD
    }
}

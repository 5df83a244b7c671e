package io.rocketbufs.rbmq.protocol;

/**
 * The feature bits. A client and a broker send them to each other to state which optional parts of the protocol they
 * support. Each side ignores bits that it does not know.
 */
public final class Features {
    /** The broker tells publishers whether their topics have subscribers: {@link RbmqType#INTEREST}. */
    public static final long INTEREST = 1;

    /** Bit of a side that accepts messages with headers. A broker passes them on without reading them. */
    public static final long HEADERS = 1L << 2;

    /** The feature bits of this version. */
    public static final long SUPPORTED = INTEREST | HEADERS;

    private Features() {}
}

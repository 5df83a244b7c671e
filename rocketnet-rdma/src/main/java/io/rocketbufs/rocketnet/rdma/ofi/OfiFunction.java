package io.rocketbufs.rocketnet.rdma.ofi;

/**
 * One function of one object's tables, looked up once: the tables of two endpoints may differ.
 *
 * <p><b>Thread-safety:</b> as libfabric says for the object. A call allocates nothing.
 */
public final class OfiFunction {
    private final long fid;
    private final long function;

    OfiFunction(long fid, long function) {
        this.fid = fid;
        this.function = function;
    }

    /** Calls it with the object and two arguments; what libfabric returned, an error being negative. */
    public int call(long a, long b) {
        return (int) Native.call(function, fid, a, b);
    }

    /** Calls it with the object and three arguments; what libfabric returned, an error being negative. */
    public int call(long a, long b, long c) {
        return (int) Native.call(function, fid, a, b, c);
    }
}

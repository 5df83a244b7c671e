package io.rocketbufs.rocketnet.rdma.ofi;

/**
 * A function of an object, looked up once in the object's tables. The tables of two endpoints may differ.
 *
 * <p><b>Thread-safety:</b> as specified by libfabric for the object. A call allocates nothing.
 */
public final class OfiFunction {
    private final long fid;
    private final long function;

    OfiFunction(long fid, long function) {
        this.fid = fid;
        this.function = function;
    }

    /**
     * Calls the function with the object and two arguments. Returns libfabric's result, which is negative on failure.
     */
    public int call(long a, long b) {
        return (int) Native.call(function, fid, a, b);
    }

    /**
     * Calls the function with the object and three arguments. Returns libfabric's result, which is negative on failure.
     */
    public int call(long a, long b, long c) {
        return (int) Native.call(function, fid, a, b, c);
    }
}

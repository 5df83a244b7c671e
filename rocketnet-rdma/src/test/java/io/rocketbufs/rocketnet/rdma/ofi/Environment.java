package io.rocketbufs.rocketnet.rdma.ofi;

import com.kenai.jffi.Library;

/**
 * A program that loads libfabric and prints environment variables as seen by C code. System.getenv does not return
 * these values.
 */
final class Environment {
    private Environment() {}

    public static void main(String[] arguments) {
        Ofi.load("libfabric.so.1");
        print("IPATH_NO_BACKTRACE");
        print("FI_MR_CACHE_MAX_COUNT");
    }

    private static void print(String name) {
        NativeBlock text = NativeBlock.string(name);
        long getenv = Native.symbol(Library.getDefault(), "getenv");
        System.out.println(name + "=" + Native.stringAt(Native.call(getenv, text.address())));
        java.lang.ref.Reference.reachabilityFence(text);
    }
}

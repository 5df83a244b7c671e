package io.rocketbufs.rocketnet.rdma.ofi;

import com.kenai.jffi.Library;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that adds environment variables individually, and checks that each replaced array of variables remains
 * unchanged.
 */
final class GrowingEnvironment {
    private static final int COUNT = 100;

    private GrowingEnvironment() {}

    private record Seen(long array, List<Long> pointers) {
        static Seen now() {
            return at(Native.pointerAt(symbol("environ")));
        }

        static Seen at(long array) {
            List<Long> pointers = new ArrayList<>();
            for (long at = array; pointers.isEmpty() || pointers.get(pointers.size() - 1) != 0; at += Long.BYTES) {
                pointers.add(Native.pointerAt(at));
            }
            return new Seen(array, pointers);
        }
    }

    public static void main(String[] arguments) {
        List<Seen> before = new ArrayList<>();
        for (int i = 1; i <= COUNT; i++) {
            before.add(Seen.now());
            Libc.instance().addToEnvironment("NEW_" + i + "=" + i);
        }
        print("NEW_1");
        print("NEW_100");
        long unchanged = before.stream()
                .filter(seen -> Seen.at(seen.array()).equals(seen))
                .count();
        System.out.println("unchanged arrays: " + unchanged + " of " + COUNT);
    }

    private static long symbol(String name) {
        return Native.symbol(Library.getDefault(), name);
    }

    private static void print(String name) {
        NativeBlock text = NativeBlock.string(name);
        System.out.println(name + "=" + Native.stringAt(Native.call(symbol("getenv"), text.address())));
        Reference.reachabilityFence(text);
    }
}

package io.rocketbufs.rbmq.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A counter that a single thread increments, at the cost of a plain field, and that any thread can read. */
final class Counter {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(Counter.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long value;

    void increment() {
        add(1);
    }

    void add(long count) {
        VALUE.setOpaque(this, value + count);
    }

    long get() {
        return (long) VALUE.getOpaque(this);
    }
}

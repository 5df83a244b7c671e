package io.rocketbufs.memory;

import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * The address of a direct buffer and the system's page length, determined without native code. Used only if jffi cannot
 * be loaded. Java 22 and later provide a method that returns the address. In earlier versions, the address is in a
 * private field that only sun.misc.Unsafe can read. This class calls sun.misc.Unsafe by reflection, because javac warns
 * about any other use of it.
 */
final class DirectAddress {
    private static final int FIRST_WITH_SEGMENTS = 22;

    private DirectAddress() {}

    /** Returns the address of the buffer's first byte, regardless of its position. */
    static long of(ByteBuffer buffer) {
        try {
            return Runtime.version().feature() >= FIRST_WITH_SEGMENTS
                    ? fromSegment(buffer.duplicate().clear())
                    : fromField(buffer);
        } catch (ReflectiveOperationException e) {
            throw new MemoryException("cannot read the address of a direct buffer: " + e, e);
        }
    }

    static long pageLength() {
        try {
            return (int) Class.forName("sun.misc.Unsafe").getMethod("pageSize").invoke(unsafe());
        } catch (ReflectiveOperationException e) {
            throw new MemoryException("cannot read the system's page length: " + e, e);
        }
    }

    private static long fromSegment(ByteBuffer buffer) throws ReflectiveOperationException {
        Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
        Object whole = segment.getMethod("ofBuffer", Buffer.class).invoke(null, buffer);
        return (long) segment.getMethod("address").invoke(whole);
    }

    private static long fromField(ByteBuffer buffer) throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Object unsafe = unsafe();
        Field field = Buffer.class.getDeclaredField("address");
        long offset = (long) type.getMethod("objectFieldOffset", Field.class).invoke(unsafe, field);
        return (long) type.getMethod("getLong", Object.class, long.class).invoke(unsafe, buffer, offset);
    }

    private static Object unsafe() throws ReflectiveOperationException {
        Field field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        field.setAccessible(true);
        return field.get(null);
    }
}

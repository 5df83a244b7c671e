package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * The description of granted memory, which the owner's application sends to the peer in an application message.
 *
 * <pre>
 *  0         1        2          4          8         16          24       32
 *  +---------+--------+----------+----------+----------+-----------+--------+
 *  | version | rights | grant id |  serial  |  length  |  address  |  key   |
 *  +---------+--------+----------+----------+----------+-----------+--------+
 * </pre>
 *
 * The rights are bits: 1 to write, 2 to read, 4 for atomic operations. The serial number counts the grants of a
 * connection from 1 and distinguishes grants that reuse an id. Address and key belong to the transport; both are 0 if
 * the transport needs none.
 */
public final class GrantLayout {
    /** Length of a description in bytes. */
    public static final int LENGTH = 32;
    /** The only supported version. */
    public static final int VERSION = 1;
    /** Maximum number of grants on one side of a connection. Ids are less than this number. */
    public static final int MAX_COUNT = 1024;
    /** The bit of the right to write. */
    public static final int WRITE = 1;
    /** The bit of the right to read. */
    public static final int READ = 2;
    /** The bit of the right to use atomic operations. */
    public static final int ATOMIC = 4;

    private GrantLayout() {}

    /** Writes the rights, the id and the serial number; a call to {@link #putMemory} must follow. */
    public static void putGrant(ByteBuffer description, int rights, int id, int serial) {
        description.put((byte) VERSION).put((byte) rights).putShort((short) id).putInt(serial);
    }

    /** Writes the length of the memory and the access to the memory. */
    public static void putMemory(ByteBuffer description, long length, long address, long key) {
        description.putLong(length).putLong(address).putLong(key);
    }

    /**
     * Returns the reason why the bytes between the position and the limit are not a valid description, or null if they
     * are. Even in a valid description, the values can be false.
     */
    public static String mistakeIn(ByteBuffer description) {
        if (description.remaining() != LENGTH) {
            return "it has " + description.remaining() + " bytes instead of " + LENGTH;
        }
        if (description.get(description.position()) != VERSION) {
            return "version=" + description.get(description.position()) + " is not supported";
        }
        int rights = rights(description);
        if (rights == 0 || rights > (WRITE | READ | ATOMIC)) {
            return "rights=" + rights + " is out of range";
        }
        if (id(description) >= MAX_COUNT || serial(description) < 1 || length(description) < 1) {
            return "a value is out of range: id=" + id(description) + ", serial=" + serial(description) + ", length="
                    + length(description);
        }
        return null;
    }

    /** Returns the bits of the rights. */
    public static int rights(ByteBuffer description) {
        return description.get(description.position() + 1) & 0xff;
    }

    /** Returns the id of the grant. */
    public static int id(ByteBuffer description) {
        return description.getShort(description.position() + 2) & 0xffff;
    }

    /** Returns the serial number of the grant. */
    public static int serial(ByteBuffer description) {
        return description.getInt(description.position() + 4);
    }

    /** Returns the length of the granted memory in bytes. */
    public static long length(ByteBuffer description) {
        return description.getLong(description.position() + 8);
    }

    /** Returns the base address of the memory. */
    public static long address(ByteBuffer description) {
        return description.getLong(description.position() + 16);
    }

    /** Returns the remote key of the memory. */
    public static long key(ByteBuffer description) {
        return description.getLong(description.position() + 24);
    }
}

package io.rocketbufs.memory;

import com.kenai.jffi.MemoryIO;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * A sender of datagrams to Unix sockets, which Java does not support. This class belongs to this package, because no
 * other package of core calls the C library.
 *
 * <p>The receiver's address is a {@code struct sockaddr_un}:
 *
 * <pre>
 *   0        2                                  110
 *   +--------+----------------------------------+
 *   | family | path, or 0x00 and a name          |
 *   +--------+----------------------------------+
 * </pre>
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class UnixDatagram {
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int PATH_OFFSET = 2;
    /** Maximum length of a path, which leaves space for the terminating zero. */
    private static final int MAX_PATH_LENGTH = 107;

    private final MemoryIO memory = MemoryIO.getInstance();
    private final CLibrary library = CLibrary.open();

    private UnixDatagram() {}

    /**
     * Sends a datagram. Blocks while the receiver's queue is full.
     *
     * @param receiver the path of a socket, or {@code @} and a name for a socket in Linux's abstract namespace
     * @throws IOException if there is no such socket, if it refuses the datagram, or if this system cannot send one
     */
    public static void send(String receiver, byte[] content) throws IOException {
        byte[] path = receiver.getBytes(StandardCharsets.UTF_8);
        boolean isAbstract = receiver.startsWith("@");
        if (!isAbstract && !receiver.startsWith("/")) {
            throw new IOException("is neither an absolute path nor @ followed by a name");
        }
        if (path.length > MAX_PATH_LENGTH) {
            throw new IOException("has " + path.length + " bytes; the maximum is " + MAX_PATH_LENGTH);
        }
        if (isAbstract) {
            path[0] = 0;
        }
        try {
            new UnixDatagram().send(path, content);
        } catch (LinkageError | MemoryException e) {
            throw new IOException("the C library cannot be called: " + e.getMessage(), e);
        }
    }

    private void send(byte[] path, byte[] content) throws IOException {
        long socket =
                checked("socket", library.call(library.function("socket"), AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        try {
            long address = memory.allocateMemory(PATH_OFFSET + MAX_PATH_LENGTH + 1, true);
            long bytes = memory.allocateMemory(content.length, false);
            try {
                memory.putShort(address, (short) AF_UNIX);
                memory.putByteArray(address + PATH_OFFSET, path, 0, path.length);
                memory.putByteArray(bytes, content, 0, content.length);
                // The address's length delimits a name; a terminating zero delimits a path.
                int length = PATH_OFFSET + path.length + (path[0] == 0 ? 0 : 1);
                long sendto = library.function("sendto");
                checked("sendto", library.call(sendto, socket, bytes, content.length, MSG_NOSIGNAL, address, length));
            } finally {
                memory.freeMemory(bytes);
                memory.freeMemory(address);
            }
        } finally {
            library.call(library.function("close"), socket);
        }
    }

    private int checked(String function, long result) throws IOException {
        // The functions return an int or a ssize_t; the upper half of an int result is undefined.
        if ((int) result < 0) {
            throw new IOException(function + ": " + library.text(library.errno()));
        }
        return (int) result;
    }
}

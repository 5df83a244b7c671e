package io.rocketbufs.memory;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.LastError;
import com.kenai.jffi.Library;
import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.Platform;
import com.kenai.jffi.Type;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One datagram to a Unix socket, which Java cannot send. This class is here because no other package of core calls the
 * C library.
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
    /** Leaves space for the zero that ends a path. */
    private static final int MAX_PATH_LENGTH = 107;

    private final Invoker invoker = Invoker.getInstance();
    private final MemoryIO memory = MemoryIO.getInstance();
    private final Library library = Library.getDefault();

    private UnixDatagram() {}

    /**
     * Sends a datagram. Waits while the receiver's queue is full.
     *
     * @param receiver the path of a socket; or {@code @} and a name, for a socket in Linux's abstract namespace
     * @throws IOException if there is no such socket, if it refuses the datagram, or if this system cannot send one
     */
    public static void send(String receiver, byte[] content) throws IOException {
        byte[] path = receiver.getBytes(StandardCharsets.UTF_8);
        boolean isAbstract = receiver.startsWith("@");
        if (!isAbstract && !receiver.startsWith("/")) {
            throw new IOException("is neither an absolute path nor a name after @");
        }
        if (path.length > MAX_PATH_LENGTH) {
            throw new IOException("has " + path.length + " bytes; the maximum is " + MAX_PATH_LENGTH);
        }
        if (isAbstract) {
            path[0] = 0;
        }
        try {
            if (Platform.getPlatform().getOS() != Platform.OS.LINUX) {
                throw new IOException("only Linux is supported");
            }
            new UnixDatagram().send(path, content);
        } catch (LinkageError e) {
            throw new IOException("the C library cannot be called: " + e.getMessage(), e);
        }
    }

    private void send(byte[] path, byte[] content) throws IOException {
        long socket = call("socket", AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        try {
            long address = memory.allocateMemory(PATH_OFFSET + MAX_PATH_LENGTH + 1, true);
            long bytes = memory.allocateMemory(content.length, false);
            try {
                memory.putShort(address, (short) AF_UNIX);
                memory.putByteArray(address + PATH_OFFSET, path, 0, path.length);
                memory.putByteArray(bytes, content, 0, content.length);
                // A name ends at the address's length, a path at the zero after it.
                int end = path[0] == 0 ? 0 : 1;
                call("sendto", socket, bytes, content.length, MSG_NOSIGNAL, address, PATH_OFFSET + path.length + end);
            } finally {
                memory.freeMemory(bytes);
                memory.freeMemory(address);
            }
        } finally {
            call("close", socket);
        }
    }

    private long call(String name, long... arguments) throws IOException {
        long function = library.getSymbolAddress(name);
        Type[] types = new Type[arguments.length];
        Arrays.fill(types, Type.SINT64);
        CallContext context = CallContext.getCallContext(Type.SINT64, types, CallingConvention.DEFAULT, true);
        long result = switch (arguments.length) {
            case 1 -> invoker.invokeN1(context, function, arguments[0]);
            case 3 -> invoker.invokeN3(context, function, arguments[0], arguments[1], arguments[2]);
            default ->
                invoker.invokeN6(
                        context,
                        function,
                        arguments[0],
                        arguments[1],
                        arguments[2],
                        arguments[3],
                        arguments[4],
                        arguments[5]);
        };
        // The functions return an int or a ssize_t; the upper half of an int is undefined.
        if ((int) result < 0) {
            throw new IOException(name + ": " + text(LastError.getInstance().get()));
        }
        return (int) result;
    }

    private String text(int errno) {
        CallContext context =
                CallContext.getCallContext(Type.SINT64, new Type[] {Type.SINT64}, CallingConvention.DEFAULT, false);
        long text = invoker.invokeN1(context, library.getSymbolAddress("strerror"), errno);
        return new String(memory.getZeroTerminatedByteArray(text), StandardCharsets.UTF_8) + " (errno " + errno + ")";
    }
}

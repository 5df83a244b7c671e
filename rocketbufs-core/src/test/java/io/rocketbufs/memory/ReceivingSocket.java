package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.Library;
import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A receiving Unix datagram socket, such as that of a service manager. */
public final class ReceivingSocket implements AutoCloseable {
    private static final int UNIX = 1;
    private static final int DATAGRAM = 2;
    private static final int DO_NOT_WAIT = 0x40;
    private static final int MAX_LENGTH = 4096;

    private final MemoryIO memory = MemoryIO.getInstance();
    private long socket = call("socket", UNIX, DATAGRAM, 0);

    /**
     * Opens a socket.
     *
     * @param address a path that does not exist yet, or {@code @} and a name
     */
    public ReceivingSocket(String address) {
        byte[] path = address.replace('@', '\0').getBytes(StandardCharsets.UTF_8);
        long name = memory.allocateMemory(2 + path.length, true);
        memory.putShort(name, (short) UNIX);
        memory.putByteArray(name + 2, path, 0, path.length);
        assertThat(call("bind", socket, name, 2 + path.length)).as(address).isZero();
        memory.freeMemory(name);
    }

    /** Returns the next datagram, or null if none has arrived. Does not block. */
    public String poll() {
        long content = memory.allocateMemory(MAX_LENGTH, true);
        try {
            int length = call("recv", socket, content, MAX_LENGTH, DO_NOT_WAIT);
            if (length < 0) {
                return null;
            }
            byte[] bytes = new byte[length];
            memory.getByteArray(content, bytes, 0, length);
            return new String(bytes, StandardCharsets.UTF_8);
        } finally {
            memory.freeMemory(content);
        }
    }

    @Override
    public void close() {
        if (socket >= 0) {
            call("close", socket);
            socket = -1;
        }
    }

    private static int call(String name, long... given) {
        long[] arguments = Arrays.copyOf(given, 4);
        Type[] types = new Type[4];
        Arrays.fill(types, Type.SINT64);
        CallContext context = CallContext.getCallContext(Type.SINT64, types, CallingConvention.DEFAULT, false);
        long function = Library.getDefault().getSymbolAddress(name);
        return (int) Invoker.getInstance()
                .invokeN4(context, function, arguments[0], arguments[1], arguments[2], arguments[3]);
    }
}

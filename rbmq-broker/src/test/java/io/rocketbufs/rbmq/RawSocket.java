package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Role;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.HelloLayout;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;

/** A client that is a plain socket. It sends no automatic responses, and reads only on the test's request. */
public final class RawSocket implements AutoCloseable {
    private static final int CONTROL = 1 << 30;
    private static final byte WELCOME = 12;

    private final Socket socket = new Socket();
    private final OutputStream out;
    private final DataInputStream in;

    private RawSocket(InetSocketAddress broker) throws IOException {
        socket.setSoTimeout(60_000);
        socket.connect(broker);
        out = socket.getOutputStream();
        in = new DataInputStream(socket.getInputStream());
    }

    /** Connects and sends a greeting of any length, which need not be valid. */
    public static RawSocket greeting(InetSocketAddress broker, byte[] greeting) throws IOException {
        RawSocket raw = new RawSocket(broker);
        ByteBuffer hello = ControlLayout.begin(ByteBuffer.allocate(256 + greeting.length), ControlType.HELLO, 0);
        HelloLayout.put(hello, 1, 60_000, greeting);
        raw.write(ControlLayout.end(hello));
        return raw;
    }

    /** Waits until the broker has closed the connection. Ignores data that arrives before that. */
    public void awaitEnd() throws IOException {
        try {
            while (in.read() >= 0) {
                // Skips the broker's greeting.
            }
        } catch (SocketException e) {
            // The broker closed the connection before it had read all data.
        }
    }

    /** Connects and exchanges greetings. Announces a heartbeat interval of one minute. */
    public RawSocket(InetSocketAddress broker, Role role) throws IOException {
        this(broker, role, 60_000);
    }

    /**
     * Connects and exchanges greetings.
     *
     * @param heartbeatIntervalMs the heartbeat interval that the client announces
     */
    public RawSocket(InetSocketAddress broker, Role role, int heartbeatIntervalMs) throws IOException {
        socket.setSoTimeout(10_000);
        socket.connect(broker);
        out = socket.getOutputStream();
        in = new DataInputStream(socket.getInputStream());
        ByteBuffer hello = ControlLayout.begin(ByteBuffer.allocate(256), ControlType.HELLO, 0);
        HelloLayout.put(hello, role == Role.PUBLISHER ? 1 : 2, heartbeatIntervalMs, GreetingLayout.write("raw", ""));
        write(ControlLayout.end(hello));
        assertThat(nextControl().get(0)).isEqualTo((byte) 1);
        assertThat(nextControl().get(ControlLayout.HEADER_LENGTH)).isEqualTo(WELCOME);
    }

    /** Sends an RBMQ control message. */
    public void send(ByteBuffer message) throws IOException {
        ByteBuffer whole = ByteBuffer.allocate(ControlLayout.HEADER_LENGTH + message.remaining());
        write(ControlLayout.end(
                ControlLayout.begin(whole, ControlType.APPLICATION, 0).put(message)));
    }

    /** Returns the next control message of any type from the broker, including its header. */
    public ByteBuffer nextControl() throws IOException {
        in.readInt();
        byte[] message = new byte[in.readInt() & ~CONTROL];
        in.readFully(message);
        return ByteBuffer.wrap(message);
    }

    private void write(ByteBuffer message) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(8 + message.remaining());
        frame.putInt(0).putInt(CONTROL | message.remaining()).put(message);
        out.write(frame.array());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

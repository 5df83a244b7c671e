package io.rocketbufs.benchmarks.log.load;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A connection that speaks Redis's protocol (RESP).
 *
 * <p><b>Thread-safety:</b> one thread may write while another reads.
 */
final class RedisConnection implements Closeable {
    private static final int BUFFER_LENGTH = 256 << 10;
    private static final byte[] END = {'\r', '\n'};

    private final Socket socket;
    private final DataInputStream input;
    private final OutputStream output;
    private ByteBuffer waiting = ByteBuffer.allocate(BUFFER_LENGTH);

    /** Connects to the server at HOST:PORT. */
    RedisConnection(String address) throws IOException {
        int colon = address.lastIndexOf(':');
        socket = new Socket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
        socket.setTcpNoDelay(true);
        input = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_LENGTH));
        output = socket.getOutputStream();
    }

    /** Adds a command, which is sent by {@link #flush}. */
    void add(byte[]... words) {
        put("*" + words.length);
        for (byte[] each : words) {
            put("$" + each.length);
            reserve(each.length + END.length);
            waiting.put(each).put(END);
        }
    }

    private void put(String line) {
        byte[] bytes = bytes(line);
        reserve(bytes.length + END.length);
        waiting.put(bytes).put(END);
    }

    private void reserve(int length) {
        if (waiting.remaining() < length) {
            ByteBuffer larger = ByteBuffer.allocate(2 * (waiting.position() + length));
            waiting = larger.put(waiting.flip());
        }
    }

    /** Sends all commands that have been added. */
    void flush() throws IOException {
        output.write(waiting.array(), 0, waiting.position());
        waiting.clear();
    }

    /** Sends a command and returns its reply. */
    Object ask(String... words) throws IOException {
        byte[][] all = new byte[words.length][];
        for (int i = 0; i < all.length; i++) {
            all[i] = bytes(words[i]);
        }
        add(all);
        flush();
        return reply();
    }

    /**
     * Reads a reply: a Long, a byte array, a String, a list of replies, or null.
     *
     * @throws IOException if the server has closed the connection
     * @throws RefusedException if the server refused the command
     */
    Object reply() throws IOException {
        int kind = input.readByte();
        String line = line();
        return switch (kind) {
            case '+' -> line;
            case '-' -> throw new RefusedException(line);
            case ':' -> Long.parseLong(line);
            case '$' -> bulk(Integer.parseInt(line));
            case '*' -> list(Integer.parseInt(line));
            default -> throw new IOException("malformed reply of Redis: " + (char) kind + line);
        };
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = input.readByte(); next != '\r'; next = input.readByte()) {
            line.append((char) next);
        }
        input.readByte();
        return line.toString();
    }

    private byte[] bulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = new byte[length];
        input.readFully(bytes);
        input.readShort();
        return bytes;
    }

    private List<Object> list(int count) throws IOException {
        if (count < 0) {
            return null;
        }
        List<Object> list = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            list.add(reply());
        }
        return list;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(Object bytes) {
        return new String((byte[]) bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** The exception for a command that the server has refused. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1;

        RefusedException(String reason) {
            super(reason);
        }
    }
}

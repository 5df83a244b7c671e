package io.rocketbufs.livestream.system;

import io.rocketbufs.livestream.Https;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import javax.net.ssl.SSLSocket;

/** A source that sends exactly the bytes that a test specifies. */
final class RawSource implements AutoCloseable {
    private final SSLSocket socket;
    private final OutputStream out;
    private final BufferedReader in;

    RawSource(InetSocketAddress server) throws IOException {
        this(server, "127.0.0.1");
    }

    RawSource(InetSocketAddress server, String from) throws IOException {
        socket = Https.socket(server, from);
        out = socket.getOutputStream();
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
    }

    /** Starts a request with a chunked body. */
    RawSource begin(String method, String path, String... headers) throws IOException {
        StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n");
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        out.write((head + "Transfer-Encoding: chunked\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
        return this;
    }

    /** Sends a piece of the body. */
    RawSource piece(byte[] bytes, int from, int length) throws IOException {
        out.write((Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        out.write(bytes, from, length);
        out.write("\r\n".getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
        return this;
    }

    /** Ends the body. */
    RawSource end() throws IOException {
        out.write("0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
        return this;
    }

    /** Sends bytes unchanged. */
    RawSource raw(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    /** Reads a response and returns its status, a space, and its body. */
    String answer() throws IOException {
        String status = in.readLine();
        int length = 0;
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(line.substring(line.indexOf(':') + 1).strip());
            }
        }
        char[] body = new char[length];
        for (int read = 0; read < length; ) {
            read += in.read(body, read, length - read);
        }
        return status == null
                ? ""
                : status.substring("HTTP/1.1 ".length()).substring(0, 3) + " " + new String(body).strip();
    }

    /** Waits until the peer has closed the connection. */
    boolean isClosed() throws IOException {
        try {
            return in.read() < 0;
        } catch (IOException e) {
            return true;
        }
    }

    /** Disconnects without a close_notify, as a killed process does. */
    void vanish() throws IOException {
        // Closing the TLS socket would send close_notify.
        Https.plainOf(socket).close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

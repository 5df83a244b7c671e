package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.unix.Errors.NativeIoException;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A factory for {@link TransportException}s that report failures of system calls. Only this class interprets Linux
 * error numbers. Netty's exceptions contain the number in a field or only in their message. NIO's exceptions contain no
 * number, so the code is derived from the exception's class or message.
 */
final class TcpFailures {
    private static final Logger LOGGER = LoggerFactory.getLogger(TcpFailures.class);

    private static final Pattern NUMBER_IN_TEXT = Pattern.compile("error\\(-(\\d+)\\)");

    private static final int EACCES = 13;
    private static final int EPIPE = 32;
    private static final int EADDRNOTAVAIL = 99;
    private static final int ETIMEDOUT = 110;
    private static final Map<Integer, Code> CODES = Map.ofEntries(
            Map.entry(12, Code.RESOURCES), // ENOMEM
            Map.entry(23, Code.RESOURCES), // ENFILE
            Map.entry(24, Code.RESOURCES), // EMFILE
            Map.entry(EPIPE, Code.PEER_LOST),
            Map.entry(98, Code.ADDRESS_IN_USE), // EADDRINUSE
            Map.entry(EADDRNOTAVAIL, Code.UNREACHABLE),
            Map.entry(100, Code.UNREACHABLE), // ENETDOWN
            Map.entry(101, Code.UNREACHABLE), // ENETUNREACH
            Map.entry(103, Code.PEER_LOST), // ECONNABORTED
            Map.entry(104, Code.PEER_LOST), // ECONNRESET
            Map.entry(105, Code.RESOURCES), // ENOBUFS
            Map.entry(ETIMEDOUT, Code.PEER_LOST),
            Map.entry(111, Code.NO_LISTENER), // ECONNREFUSED
            Map.entry(113, Code.UNREACHABLE)); // EHOSTUNREACH

    private TcpFailures() {}

    /** An action that closes a resource and may fail. */
    @FunctionalInterface
    interface Closing {
        void close() throws IOException;
    }

    /** Returns the exception for a failed operation on a connection. */
    static TransportException broken(String operation, InetSocketAddress peer, Exception cause) {
        if (cause instanceof TlsFailure tls) {
            return tls.otherProtocol() == null
                    ? new TransportException(tls.code(), text("TLS with", peer, tls.getMessage()), cause)
                    : otherProtocol(peer, tls.otherProtocol());
        }
        return new TransportException(code(cause), text(operation, peer, Reason.of(cause)), cause);
    }

    /** Returns the exception for a peer that closed the connection in the middle of a frame. */
    static TransportException cut(InetSocketAddress peer, String where) {
        return new TransportException(
                Code.PEER_LOST,
                text("read from", peer, "the peer closed the connection in the middle of a frame: " + where));
    }

    /** Returns the exception for a peer that speaks another protocol. */
    static TransportException otherProtocol(InetSocketAddress peer, String protocol) {
        return TransportException.otherProtocol(HostPort.numeric(peer), protocol);
    }

    /** Returns the exception for a frame that violates the frame layout. */
    static TransportException badFrame(InetSocketAddress peer, String what) {
        return new TransportException(Code.PROTOCOL, text("read from", peer, what));
    }

    /**
     * Returns the exception to report when a handler throws {@code cause}. A {@link TransportException} is returned
     * unchanged.
     */
    static TransportException handler(InetSocketAddress peer, Throwable cause) {
        return cause instanceof TransportException failure
                ? failure
                : new TransportException(Code.PROTOCOL, text("handle data from", peer, Reason.of(cause)), cause);
    }

    /** Returns the exception for a failed connection attempt. */
    static TransportException connect(InetSocketAddress address, Exception cause) {
        if (cause instanceof TransportException failure) {
            return failure;
        }
        Code code = code(cause);
        return switch (code) {
            case NO_LISTENER -> connect(code, address, "connection refused, no listener on this address", cause);
            case PEER_LOST ->
                isTimeout(cause)
                        ? connect(Code.TIMEOUT, address, "no answer before the system's own timeout", cause)
                        : connect(
                                Code.NO_LISTENER,
                                address,
                                "the peer closed the connection immediately (" + Reason.of(cause) + ")",
                                cause);
            case UNREACHABLE ->
                number(cause) == EADDRNOTAVAIL
                        ? connect(
                                Code.RESOURCES, address, "no local port is available (" + Reason.of(cause) + ")", cause)
                        : connect(code, address, "the address is unreachable (" + Reason.of(cause) + ")", cause);
            default -> connect(code, address, Reason.of(cause), cause);
        };
    }

    /** Returns the exception for a connection attempt that timed out. */
    static TransportException connectTimeout(InetSocketAddress address, long timeoutMs) {
        return connect(Code.TIMEOUT, address, "no answer within " + timeoutMs + " ms", null);
    }

    /** Returns the exception for a host name that cannot be resolved. */
    static TransportException unknownHost(String operation, InetSocketAddress address) {
        return new TransportException(Code.UNREACHABLE, text(operation, address, "unknown host"));
    }

    /** Returns the exception for an operation on a closed transport. */
    static TransportException closed(String operation, InetSocketAddress address) {
        return new TransportException(Code.CLOSED, text(operation, address, "the transport is closed"));
    }

    /** Returns the exception for a failed attempt to listen on an address. */
    static TransportException listen(InetSocketAddress address, Exception cause) {
        Code code = code(cause);
        String what = switch (code) {
            case ADDRESS_IN_USE -> "the port is in use";
            case UNREACHABLE -> "this machine has no such address (" + Reason.of(cause) + ")";
            default -> isDenied(cause) ? Reason.ofDeniedPort(address.getPort()) : Reason.of(cause);
        };
        return new TransportException(code, text("cannot listen on", address, what), cause);
    }

    /** Returns the exception for a failed attempt to accept a connection. */
    static TransportException accept(InetSocketAddress address, Exception cause) {
        return new TransportException(code(cause), text("accept on", address, Reason.of(cause)), cause);
    }

    /** Closes a resource that is no longer used. A failure is harmless and is logged at DEBUG. */
    static void closeQuietly(Closing closing) {
        try {
            closing.close();
        } catch (IOException e) {
            LOGGER.debug("Closing a resource failed", e);
        }
    }

    private static TransportException connect(Code code, InetSocketAddress address, String what, Exception cause) {
        return new TransportException(code, text("connect to", address, what), cause);
    }

    private static String text(String operation, InetSocketAddress address, String what) {
        return operation + " " + name(address) + ": " + what;
    }

    private static String name(InetSocketAddress address) {
        return address == null ? "unknown address" : HostPort.of(address);
    }

    private static boolean isDenied(Exception cause) {
        return number(cause) == EACCES || text(cause).contains("Permission denied");
    }

    /** Returns the text of an exception, or an empty string if the exception has no text. */
    private static String text(Exception cause) {
        return cause.getMessage() == null ? "" : cause.getMessage();
    }

    private static Code code(Exception cause) {
        Code code = CODES.get(number(cause));
        return code == null ? codeOfText(cause, text(cause)) : code;
    }

    private static int number(Exception cause) {
        if (cause instanceof NativeIoException nativeFailure) {
            return -nativeFailure.expectedErr();
        }
        Matcher matcher = NUMBER_IN_TEXT.matcher(text(cause));
        return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    private static Code codeOfText(Exception cause, String text) {
        if (cause instanceof NoRouteToHostException || text.contains("unreachable")) {
            return Code.UNREACHABLE;
        }
        if (cause instanceof BindException) {
            return text.contains("Cannot assign") ? Code.UNREACHABLE : Code.ADDRESS_IN_USE;
        }
        if (isTimeout(cause) || text.contains("reset") || text.contains("Broken pipe")) {
            return Code.PEER_LOST;
        }
        if (cause instanceof ConnectException) {
            return Code.NO_LISTENER;
        }
        return text.contains("Too many open files") ? Code.RESOURCES : Code.IO;
    }

    private static boolean isTimeout(Exception cause) {
        return number(cause) == ETIMEDOUT || text(cause).contains("timed out");
    }
}

package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.memory.CallException;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** A factory for {@link TransportException}s. Only this class interprets error numbers. */
final class ShmFailures {
    /** The remedy for missing permissions. */
    static final String PERMISSION_REMEDY =
            "use the listener's user, or set rocketbufs.shm.group and rocketbufs.shm.directory on both sides";

    private ShmFailures() {}

    /** Returns the exception for a failed connection attempt. */
    static TransportException connect(InetSocketAddress address, Path socket, Exception cause) {
        if (cause instanceof TransportException failure) {
            return failure;
        }
        return switch (number(cause)) {
            case ShmCalls.ENOENT ->
                connect(
                        Code.NO_LISTENER,
                        address,
                        "there is no socket " + socket
                                + "; start the listener, or set rocketbufs.shm.directory to its directory",
                        cause);
            case ShmCalls.ECONNREFUSED ->
                connect(Code.NO_LISTENER, address, "no process listens on " + socket + "; start the listener", cause);
            case ShmCalls.EACCES ->
                connect(Code.REFUSED, address, "permission denied for " + socket + "; " + PERMISSION_REMEDY, cause);
            case ShmCalls.EPROTOTYPE ->
                connect(
                        Code.PROTOCOL,
                        address,
                        socket + " belongs to another program: it is not a socket of this transport",
                        cause);
            default -> connect(code(cause), address, text(cause), cause);
        };
    }

    static TransportException connect(Code code, InetSocketAddress address, String what, Exception cause) {
        return new TransportException(code, text("connect to", address, what), cause);
    }

    /** Returns the exception for a connection attempt that timed out. */
    static TransportException connectTimeout(InetSocketAddress address, long timeoutMs) {
        return connect(Code.TIMEOUT, address, "no answer within " + timeoutMs + " ms", null);
    }

    /** Returns the exception for a host name that cannot be resolved. */
    static TransportException unknownHost(String operation, InetSocketAddress address) {
        return new TransportException(Code.UNREACHABLE, text(operation, address, "unknown host"));
    }

    /** Returns the exception for an address that does not belong to this machine. */
    static TransportException notLocal(String operation, InetSocketAddress address) {
        return new TransportException(
                Code.UNREACHABLE,
                text(
                        operation,
                        address,
                        "not an address of this machine; shared memory connects only processes on one machine: set"
                                + " rocketbufs.transport = tcp"));
    }

    /** Returns the exception for a listener that is known to be unreachable before any connection attempt. */
    static TransportException noRoute(String why) {
        return new TransportException(Code.UNREACHABLE, why);
    }

    /** Returns the exception for an operation on a closed transport. */
    static TransportException closed(String operation, InetSocketAddress address) {
        return new TransportException(Code.CLOSED, text(operation, address, "the transport is closed"));
    }

    /** Returns the exception for a port that another listener owns. */
    static TransportException inUse(InetSocketAddress address, Path socket) {
        return new TransportException(
                Code.ADDRESS_IN_USE, text("cannot listen on", address, "another process listens on " + socket));
    }

    /** Returns the exception for a failed attempt to listen. */
    static TransportException listen(InetSocketAddress address, Path directory, IOException cause) {
        boolean denied = cause instanceof AccessDeniedException || number(cause) == ShmCalls.EACCES;
        String what = denied
                ? "permission denied in " + directory + "; set rocketbufs.shm.directory to a directory of this user"
                : named(cause) + text(cause);
        return new TransportException(code(cause), text("cannot listen on", address, what), cause);
    }

    private static String named(IOException cause) {
        return cause instanceof FileSystemException file && file.getFile() != null ? file.getFile() + ": " : "";
    }

    /** Returns the exception for a failed attempt to accept a connection. */
    static TransportException accept(InetSocketAddress address, Exception cause) {
        return new TransportException(code(cause), text("accept on", address, text(cause)), cause);
    }

    /** Returns the exception for a peer that disconnected without finishing first. */
    static TransportException lost(InetSocketAddress peer) {
        return new TransportException(
                Code.PEER_LOST, text("read from", peer, "the peer closed the connection, or its process exited"));
    }

    /** Returns the exception for shared memory whose contents violate the layout. */
    static TransportException badMemory(InetSocketAddress peer, String what) {
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

    /** Returns the exception for a transport that cannot be used on this machine. */
    static TransportException unavailable(String what, Throwable cause) {
        return new TransportException(
                Code.UNAVAILABLE, what + "; set rocketbufs.transport to another transport", cause);
    }

    /** Returns the reason for a failure, and the remedy if there is one. */
    static String text(Exception cause) {
        String reason = Reason.of(cause);
        return switch (number(cause)) {
            case ShmCalls.EMFILE, ShmCalls.ETOOMANYREFS -> reason + "; raise the limit on open files (ulimit -n)";
            case ShmCalls.ENFILE -> reason + "; raise fs.file-max";
            case ShmCalls.EFBIG ->
                reason + "; raise the limit on the length of files (ulimit -f), or lower"
                        + " rocketbufs.shm.channel-length";
            case ShmCalls.ENOSPC, ShmCalls.ENOMEM, ShmCalls.ENOBUFS ->
                reason + "; raise the limit on memory (of the container or control group, ulimit -v, or"
                        + " vm.max_map_count), or lower rocketbufs.shm.channel-length";
            default -> reason;
        };
    }

    private static String text(String operation, InetSocketAddress address, String what) {
        return operation + " " + HostPort.of(address) + ": " + what;
    }

    private static Code code(Exception cause) {
        return switch (number(cause)) {
            case ShmCalls.EMFILE,
                    ShmCalls.ENFILE,
                    ShmCalls.ETOOMANYREFS,
                    ShmCalls.EFBIG,
                    ShmCalls.ENOSPC,
                    ShmCalls.ENOMEM,
                    ShmCalls.ENOBUFS -> Code.RESOURCES;
            case ShmCalls.EPIPE, ShmCalls.ECONNRESET, ShmCalls.ECONNABORTED -> Code.PEER_LOST;
            case ShmCalls.EADDRINUSE -> Code.ADDRESS_IN_USE;
            case ShmCalls.EACCES, ShmCalls.EPERM -> Code.REFUSED;
            default -> Code.IO;
        };
    }

    private static int number(Exception cause) {
        if (cause instanceof CallException memory) {
            return memory.errno();
        }
        return cause instanceof ShmException failure ? failure.number() : 0;
    }
}

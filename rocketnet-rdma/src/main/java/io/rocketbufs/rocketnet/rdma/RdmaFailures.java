package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiException;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.text.Reason;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;

/**
 * A factory for {@link TransportException}s that report failures of libfabric. Only this class interprets libfabric's
 * error numbers.
 */
final class RdmaFailures {
    private static final Map<Integer, Code> CODES = Map.ofEntries(
            Map.entry(OfiConstants.FI_ENOMEM, Code.RESOURCES),
            Map.entry(OfiConstants.ENFILE, Code.RESOURCES),
            Map.entry(OfiConstants.FI_EMFILE, Code.RESOURCES),
            Map.entry(OfiConstants.FI_ENOSPC, Code.RESOURCES),
            Map.entry(OfiConstants.FI_ENODEV, Code.UNREACHABLE), // verbs has no device for the address
            Map.entry(OfiConstants.EPIPE, Code.PEER_LOST),
            Map.entry(OfiConstants.FI_ENODATA, Code.UNREACHABLE),
            Map.entry(OfiConstants.FI_EADDRINUSE, Code.ADDRESS_IN_USE),
            Map.entry(OfiConstants.FI_EADDRNOTAVAIL, Code.UNREACHABLE),
            Map.entry(OfiConstants.FI_ENETDOWN, Code.UNREACHABLE),
            Map.entry(OfiConstants.FI_ENETUNREACH, Code.UNREACHABLE),
            Map.entry(OfiConstants.FI_ECONNABORTED, Code.PEER_LOST),
            Map.entry(OfiConstants.FI_ECONNRESET, Code.PEER_LOST),
            Map.entry(OfiConstants.FI_ENOTCONN, Code.PEER_LOST),
            Map.entry(OfiConstants.FI_ETIMEDOUT, Code.PEER_LOST),
            Map.entry(OfiConstants.FI_ECANCELED, Code.PEER_LOST),
            Map.entry(OfiConstants.FI_EIO, Code.PEER_LOST),
            Map.entry(OfiConstants.FI_ECONNREFUSED, Code.NO_LISTENER),
            Map.entry(OfiConstants.FI_EHOSTUNREACH, Code.UNREACHABLE));

    private RdmaFailures() {}

    static TransportException listen(InetSocketAddress address, OfiException cause) {
        Code code = cause.errno() == OfiConstants.FI_ENODATA ? Code.UNREACHABLE : code(cause.errno());
        String what = switch (code) {
            case ADDRESS_IN_USE -> "the port is in use";
            case UNREACHABLE -> "this machine has no such address (" + cause.reason() + ")";
            default -> cause.errno() == OfiConstants.EACCES ? Reason.ofDeniedPort(address.getPort()) : cause.reason();
        };
        return new TransportException(code, text("cannot listen on", address, what), cause);
    }

    /** Returns the exception for a listener that is known to be unreachable before any connection attempt. */
    static TransportException noRoute(String why) {
        return new TransportException(Code.UNREACHABLE, why);
    }

    static TransportException noDevice(
            InetSocketAddress address, String provider, String device, InetAddress deviceAddress) {
        return new TransportException(
                Code.UNREACHABLE,
                text(
                        "cannot listen on",
                        address,
                        "provider " + provider + " has no device at this address; " + device + " is at "
                                + HostPort.numeric(deviceAddress)));
    }

    /** Returns the exception for memory that the device refuses to register. */
    static TransportException register(String device, long length, boolean isWritable, OfiException cause) {
        String failed = notRegistered(device, length, cause);
        return switch (cause.errno()) {
            case OfiConstants.FI_ENOMEM, OfiConstants.FI_EAGAIN, OfiConstants.EPERM ->
                new TransportException(
                        Code.RESOURCES,
                        failed + "; the limit is RLIMIT_MEMLOCK (ulimit -l): raise it in /etc/security/limits.conf, or"
                                + " with LimitMEMLOCK=infinity in a systemd unit",
                        cause);
            case OfiConstants.EFAULT ->
                new TransportException(
                        Code.IO,
                        failed + "; "
                                + (isWritable
                                        ? "the kernel refuses to pin a file for writing unless it is on tmpfs or"
                                                + " hugetlbfs"
                                        : "before Linux 6.2, the kernel refuses to pin a file that this process cannot"
                                                + " write"),
                        cause);
            default ->
                // The other codes apply to connections.
                new TransportException(code(cause.errno()) == Code.RESOURCES ? Code.RESOURCES : Code.IO, failed, cause);
        };
    }

    /** Returns the exception for memory that could not be registered because every attempted key was in use. */
    static TransportException noKey(String device, long length, int attempts, OfiException cause) {
        return new TransportException(
                Code.RESOURCES,
                notRegistered(device, length, cause) + "; " + attempts + " random remote keys were in use",
                cause);
    }

    private static String notRegistered(String device, long length, OfiException cause) {
        return device + " cannot register " + length + " bytes: " + cause.getMessage();
    }

    static TransportException accept(InetSocketAddress address, OfiException cause) {
        return new TransportException(code(cause.errno()), text("accept on", address, cause.reason()), cause);
    }

    static TransportException connect(InetSocketAddress address, OfiException cause) {
        return new TransportException(code(cause.errno()), text("connect to", address, cause.reason()), cause);
    }

    static TransportException connect(InetSocketAddress address, int errno, String reason) {
        Code code = errno == OfiConstants.FI_ETIMEDOUT ? Code.TIMEOUT : code(errno);
        return new TransportException(code, text("connect to", address, reason));
    }

    static TransportException timeout(InetSocketAddress address, long timeoutMs) {
        return new TransportException(
                Code.TIMEOUT, text("connect to", address, "no answer within " + timeoutMs + " ms"));
    }

    static TransportException unknownHost(String operation, InetSocketAddress address) {
        return new TransportException(Code.UNREACHABLE, text(operation, address, "unknown host"));
    }

    static TransportException closed(String operation, InetSocketAddress address) {
        return new TransportException(Code.CLOSED, text(operation, address, "the transport is closed"));
    }

    /** Returns the exception for a peer that closed the connection abruptly. */
    static TransportException lost(InetSocketAddress peer) {
        return new TransportException(
                Code.PEER_LOST, text("read from", peer, "the peer closed the connection abruptly"));
    }

    /** Returns the exception for a failed operation. A cancelled operation means only that the connection has ended. */
    static TransportException broken(InetSocketAddress peer, int errno, String reason) {
        return errno == OfiConstants.FI_ECANCELED ? lost(peer) : broken("exchange data with", peer, errno, reason);
    }

    /** Returns the exception for a failed operation on a connection. */
    static TransportException broken(String operation, InetSocketAddress peer, int errno, String reason) {
        return new TransportException(code(errno), text(operation, peer, reason));
    }

    /** Returns the exception to report when a handler throws {@code cause}. */
    static TransportException handler(InetSocketAddress peer, Throwable cause) {
        if (cause instanceof TransportException failure) {
            return failure;
        }
        return new TransportException(Code.PROTOCOL, text("handle data from", peer, Reason.of(cause)), cause);
    }

    static TransportException protocol(InetSocketAddress peer, String what) {
        return new TransportException(Code.PROTOCOL, text("read from", peer, what));
    }

    static TransportException unavailable(String cause) {
        return new TransportException(Code.UNAVAILABLE, cause);
    }

    private static Code code(int errno) {
        return CODES.getOrDefault(errno, Code.IO);
    }

    private static String text(String operation, InetSocketAddress address, String what) {
        return operation + " " + HostPort.of(address) + ": " + what;
    }
}

package io.rocketbufs.web;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.Errors.NativeIoException;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.text.Reason;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * A server that accepts connections on one or more addresses, over TLS or plain TCP, and serves them with a few
 * threads. If native epoll cannot be loaded, it uses NIO.
 *
 * <p><b>Thread-safety:</b> any thread may use it. <b>Ownership:</b> owns its sockets and threads.
 */
public final class WebServer implements AutoCloseable {
    private static final int BACKLOG = 1024;
    /** The Linux error number for an address that is already in use. */
    private static final int EADDRINUSE = 98;

    /**
     * Maximum number of bytes that the kernel queues for a peer that does not read, in addition to data in flight. The
     * kernel's default is up to 4 MB. Limiting the whole send buffer instead would slow down distant peers. NIO cannot
     * set this limit.
     */
    private static final long MAX_UNSENT = 128 * 1024;

    private static final long CLOSE_MS = 2000;

    /**
     * Maximum number of connections beyond the connection limit to which a response can be sent at the same time. All
     * further connections are closed without a response.
     */
    private static final int MAX_REFUSING = 64;

    private final EventLoopGroup threads;
    private final Consumer<ChannelPipeline> security;
    private final List<Channel> listening = new ArrayList<>();
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final Seats seats;
    private final Seats refusing = new Seats(MAX_REFUSING);
    private final LongAdder refusals;

    private WebServer(
            String threadName,
            int threadCount,
            int maxConnections,
            LongAdder refusals,
            Consumer<ChannelPipeline> security) {
        this.security = security;
        this.seats = new Seats(maxConnections);
        this.refusals = refusals;
        this.threads = new MultiThreadIoEventLoopGroup(
                threadCount,
                new DefaultThreadFactory(threadName, true),
                Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    /**
     * Returns a server for encrypted connections. The server is not listening yet.
     *
     * @param maxConnections maximum number of connections served at a time, across all addresses
     * @param refusals counts the connections beyond that limit
     */
    public static WebServer overTls(
            String threadName, int threadCount, int maxConnections, LongAdder refusals, TlsIdentity identity) {
        return new WebServer(threadName, threadCount, maxConnections, refusals, identity::secure);
    }

    /**
     * Returns a server for unencrypted connections. The server is not listening yet.
     *
     * @param maxConnections maximum number of connections served at a time, across all addresses
     * @param refusals counts the connections beyond that limit
     */
    public static WebServer plain(String threadName, int threadCount, int maxConnections, LongAdder refusals) {
        return new WebServer(threadName, threadCount, maxConnections, refusals, pipeline -> {});
    }

    /**
     * Starts listening on an address.
     *
     * @param key configuration key of the address, named in error messages
     * @param initializer adds handlers to a connection's pipeline, after the TLS handler, if any
     * @param refuser adds handlers to the pipeline of a connection beyond the limit
     * @return the bound address, with the actual port if port 0 was requested
     * @throws TransportException if the address cannot be used
     */
    public InetSocketAddress listen(
            InetSocketAddress address,
            String key,
            Consumer<ChannelPipeline> initializer,
            Consumer<ChannelPipeline> refuser) {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(threads)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new Initializer(initializer, refuser));
        if (Epoll.isAvailable()) {
            bootstrap
                    .channel(EpollServerSocketChannel.class)
                    .childOption(EpollChannelOption.TCP_NOTSENT_LOWAT, MAX_UNSENT);
        } else {
            bootstrap.channel(NioServerSocketChannel.class);
        }
        try {
            Channel channel = bootstrap.bind(address).syncUninterruptibly().channel();
            listening.add(channel);
            return (InetSocketAddress) channel.localAddress();
        } catch (UnresolvedAddressException e) {
            throw failure(TransportException.Code.UNREACHABLE, address, key, "unknown host", e);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Exception e) {
            // Netty throws undeclared checked exceptions.
            TransportException.Code code = code(e);
            throw failure(code, address, key, what(code, address.getPort(), e), e);
        }
    }

    private static String what(TransportException.Code code, int port, Exception e) {
        String reason = Reason.of(e);
        return switch (code) {
            case ADDRESS_IN_USE -> "the port is in use";
            case UNREACHABLE -> "this machine has no such address (" + reason + ")";
            default -> reason.equals("Permission denied") ? Reason.ofDeniedPort(port) : reason;
        };
    }

    private static TransportException.Code code(Exception e) {
        if (isTaken(e)) {
            return TransportException.Code.ADDRESS_IN_USE;
        }
        return Reason.of(e).equals("Cannot assign requested address")
                ? TransportException.Code.UNREACHABLE
                : TransportException.Code.IO;
    }

    private static boolean isTaken(Exception e) {
        return e instanceof NativeIoException known
                ? known.expectedErr() == -EADDRINUSE
                // NIO does not report an error number, only the kernel's text.
                : e instanceof BindException && "Address already in use".equals(e.getMessage());
    }

    private static TransportException failure(
            TransportException.Code code, InetSocketAddress address, String key, String what, Exception cause) {
        return new TransportException(
                code, "cannot listen on " + HostPort.of(address) + " (" + key + "): " + what, cause);
    }

    /** Returns the number of connections that are currently being served. */
    public int connectionCount() {
        return seats.taken();
    }

    /** Closes all sockets and ends the threads. Idempotent. */
    @Override
    public void close() {
        if (threads.isShuttingDown()) {
            return;
        }
        listening.forEach(channel -> channel.close().syncUninterruptibly());
        connections.close().awaitUninterruptibly(CLOSE_MS);
        threads.shutdownGracefully(0, CLOSE_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly(2 * CLOSE_MS);
    }

    /** Prepares the pipeline of each accepted connection. */
    private final class Initializer extends ChannelInitializer<Channel> {
        private final Consumer<ChannelPipeline> serving;
        private final Consumer<ChannelPipeline> refuser;

        Initializer(Consumer<ChannelPipeline> serving, Consumer<ChannelPipeline> refuser) {
            this.serving = serving;
            this.refuser = refuser;
        }

        @Override
        protected void initChannel(Channel channel) {
            connections.add(channel);
            if (seats.take(channel)) {
                begin(channel, serving);
                return;
            }
            refusals.increment();
            if (refusing.take(channel)) {
                begin(channel, refuser);
            } else {
                channel.close();
            }
        }

        private void begin(Channel channel, Consumer<ChannelPipeline> more) {
            security.accept(channel.pipeline());
            more.accept(channel.pipeline());
        }
    }

    /**
     * A limit on the number of connections that are open at the same time. <b>Thread-safety:</b> any thread may use it.
     */
    private static final class Seats {
        private final int count;
        private final AtomicInteger taken = new AtomicInteger();

        Seats(int count) {
            this.count = count;
        }

        /** Counts a connection as open until it closes. Returns false if the limit has been reached. */
        boolean take(Channel channel) {
            if (taken.incrementAndGet() > count) {
                taken.decrementAndGet();
                return false;
            }
            channel.closeFuture().addListener(closed -> taken.decrementAndGet());
            return true;
        }

        int taken() {
            return Math.min(count, taken.get());
        }
    }
}

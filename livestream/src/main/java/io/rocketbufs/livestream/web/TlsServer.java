package io.rocketbufs.livestream.web;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.rocketbufs.rocketnet.TransportException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Accepts TLS connections at one address or several, and serves them with a few threads.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its sockets and threads.
 */
public final class TlsServer implements AutoCloseable {
    /** Name of the handler that encrypts, in every pipeline. */
    public static final String TLS = "tls";

    private static final int BACKLOG = 1024;
    private static final long HANDSHAKE_S = 10;

    /**
     * Bytes that the kernel keeps for a peer which does not take them, besides what is on its way. Without this it is
     * up to 4 MB; a limit of the whole send buffer would slow down who is far away.
     */
    private static final long MAX_UNSENT = 128 * 1024;

    private static final long CLOSE_MS = 2000;

    /** Connections beyond the limit that are told so at a time; more are closed without a word. */
    private static final int MAX_REFUSING = 64;

    private final EventLoopGroup threads;
    private final TlsIdentity identity;
    private final List<Channel> listening = new ArrayList<>();
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final Seats seats;
    private final Seats refusing = new Seats(MAX_REFUSING);
    private final LongAdder refusals;

    /**
     * Listens nowhere yet.
     *
     * @param maxConnections that are served at a time, over all addresses
     * @param refusals counts those that are too many
     */
    public TlsServer(String name, int threadCount, TlsIdentity identity, int maxConnections, LongAdder refusals) {
        this.identity = identity;
        this.seats = new Seats(maxConnections);
        this.refusals = refusals;
        this.threads = new MultiThreadIoEventLoopGroup(
                threadCount, new DefaultThreadFactory("livestream-" + name, true), EpollIoHandler.newFactory());
    }

    /**
     * Listens.
     *
     * @param key that the address comes from, for messages
     * @param initializer adds the handlers behind TLS to a connection's pipeline
     * @param refuser the same for one that is too many
     * @throws TransportException when the address cannot be used
     */
    public InetSocketAddress listen(
            String host,
            int port,
            String key,
            Consumer<ChannelPipeline> initializer,
            Consumer<ChannelPipeline> refuser) {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(threads)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(EpollChannelOption.TCP_NOTSENT_LOWAT, MAX_UNSENT)
                .childHandler(new Initializer(initializer, refuser));
        InetSocketAddress address = new InetSocketAddress(host, port);
        try {
            Channel channel = bootstrap.bind(address).syncUninterruptibly().channel();
            listening.add(channel);
            return (InetSocketAddress) channel.localAddress();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Exception e) {
            // Netty throws what it does not declare.
            throw new TransportException(
                    TransportException.Code.ADDRESS_IN_USE,
                    "cannot listen at " + address + " (" + key + "): " + e.getMessage(),
                    e);
        }
    }

    /** Connections that are served. */
    public int connectionCount() {
        return seats.taken();
    }

    /** Closes everything. Idempotent. */
    @Override
    public void close() {
        if (threads.isShuttingDown()) {
            return;
        }
        listening.forEach(channel -> channel.close().syncUninterruptibly());
        connections.close().awaitUninterruptibly(CLOSE_MS);
        threads.shutdownGracefully(0, CLOSE_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly(2 * CLOSE_MS);
    }

    /** Begins a connection with TLS. */
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
            SslHandler tls = identity.context().newHandler(channel.alloc());
            tls.setHandshakeTimeout(HANDSHAKE_S, TimeUnit.SECONDS);
            channel.pipeline().addLast(TLS, tls);
            more.accept(channel.pipeline());
        }
    }

    /** A number of connections that may be there at a time. <b>Thread-safety:</b> any thread. */
    private static final class Seats {
        private final int count;
        private final AtomicInteger taken = new AtomicInteger();

        Seats(int count) {
            this.count = count;
        }

        /** Takes one, until the connection closes; false when there is none. */
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

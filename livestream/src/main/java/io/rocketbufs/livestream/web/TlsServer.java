package io.rocketbufs.livestream.web;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
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
    private static final long CLOSE_MS = 2000;

    private final EventLoopGroup threads;
    private final TlsIdentity identity;
    private final List<Channel> listening = new ArrayList<>();
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

    /** Listens nowhere yet. */
    public TlsServer(String name, int threadCount, TlsIdentity identity) {
        this.identity = identity;
        this.threads = new MultiThreadIoEventLoopGroup(
                threadCount, new DefaultThreadFactory("livestream-" + name, true), EpollIoHandler.newFactory());
    }

    /**
     * Listens.
     *
     * @param key that the address comes from, for messages
     * @param initializer adds the handlers behind TLS to a connection's pipeline
     * @throws TransportException when the address cannot be used
     */
    public InetSocketAddress listen(String host, int port, String key, Consumer<ChannelPipeline> initializer) {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(threads)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new Initializer(initializer));
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

    /** Connections that are open. */
    public int connectionCount() {
        return connections.size();
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
        private final Consumer<ChannelPipeline> more;

        Initializer(Consumer<ChannelPipeline> more) {
            this.more = more;
        }

        @Override
        protected void initChannel(Channel channel) {
            connections.add(channel);
            SslHandler tls = identity.context().newHandler(channel.alloc());
            tls.setHandshakeTimeout(HANDSHAKE_S, TimeUnit.SECONDS);
            channel.pipeline().addLast(TLS, tls);
            more.accept(channel.pipeline());
        }
    }
}

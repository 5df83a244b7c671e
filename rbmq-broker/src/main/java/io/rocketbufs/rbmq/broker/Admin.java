package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.web.BearerTokens;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.PageRequest;
import io.rocketbufs.web.PageServer;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The HTTP server of the broker's read-only admin pages. On an address that is not loopback, clients must present one
 * of the broker's credentials as a bearer token. The health pages need no token.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its socket and a few threads, {@code rbmq-admin}.
 */
final class Admin implements AutoCloseable {
    private final PageServer server;

    private Admin(PageServer server) {
        this.server = server;
    }

    /**
     * Starts listening and serving.
     *
     * @throws TransportException when the address cannot be used
     */
    static Admin open(BrokerSettings settings, AdminPages pages) {
        InetSocketAddress address = settings.admin().resolve();
        boolean isLocal = !address.isUnresolved() && address.getAddress().isLoopbackAddress();
        BearerTokens tokens = new BearerTokens(isLocal ? List.of() : settings.credentials());
        return new Admin(
                PageServer.open("rbmq-admin", address, "rbmq.admin.port", request -> page(request, tokens, pages)));
    }

    InetSocketAddress address() {
        return server.address();
    }

    private static Page page(PageRequest request, BearerTokens tokens, AdminPages pages) {
        boolean isHealth = request.path().matches("/health(/.*)?");
        if (!isHealth && !tokens.isEmpty() && !tokens.admits(request.authorization())) {
            return Page.text(401, "one of the broker's credentials is required as a bearer token");
        }
        return pages.page(request.path());
    }

    @Override
    public void close() {
        server.close();
    }
}

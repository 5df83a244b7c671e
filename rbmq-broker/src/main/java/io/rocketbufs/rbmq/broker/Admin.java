package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.settings.ReloadedFiles;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.PageRequest;
import io.rocketbufs.web.PageServer;
import io.rocketbufs.web.TlsIdentity;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * The HTTP server of the broker's admin pages, with or without TLS. On an address that is not loopback, clients must
 * present the token of an administrator as a bearer token, if the broker has users. The health pages need no token.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its socket and a few threads, {@code rbmq-admin}.
 */
final class Admin implements AutoCloseable {
    private final Supplier<Users> users;
    private final RefusalCounts refusals;
    private final AdminPages pages;
    private final boolean isLocal;
    /** Null without TLS. */
    private final TlsIdentity identity;

    private final PageServer server;

    private Admin(
            InetSocketAddress address,
            TlsIdentity identity,
            Supplier<Users> users,
            RefusalCounts refusals,
            AdminPages pages) {
        this.isLocal = !address.isUnresolved() && address.getAddress().isLoopbackAddress();
        this.users = users;
        this.refusals = refusals;
        this.pages = pages;
        this.identity = identity;
        this.server = PageServer.open("rbmq-admin", address, "rbmq.admin.port", identity, this::page);
    }

    /**
     * Starts listening and serving.
     *
     * @throws TransportException when the address cannot be used
     */
    static Admin open(AdminSettings settings, Supplier<Users> users, RefusalCounts refusals, AdminPages pages) {
        TlsIdentity identity = settings.tls() == null ? null : TlsIdentity.load(settings.tls());
        return new Admin(settings.resolve(), identity, users, refusals, pages);
    }

    /** Reads the certificate again, if there is one; see {@link TlsIdentity#reload}. */
    ReloadedFiles reloadFiles() {
        return identity == null ? ReloadedFiles.NONE : identity.reload("rbmq.admin.tls");
    }

    InetSocketAddress address() {
        return server.address();
    }

    private Page page(PageRequest request) {
        boolean isOpen = isLocal || users.get().isEmpty();
        Page refusal = isOpen || request.path().matches("/health(/.*)?") ? null : refusal(request.bearerToken());
        if (refusal != null) {
            refusals.count(RefusalCounts.Reason.ADMIN);
            return refusal;
        }
        return pages.page(request);
    }

    /** Returns the response to a client that is not an administrator; null to one that is. */
    private Page refusal(String token) {
        if (token.isEmpty()) {
            return Page.text(401, "an administrator's token is required (Authorization: Bearer TOKEN)");
        }
        UserSettings user = users.get().settingsOf(token.getBytes(StandardCharsets.UTF_8));
        if (user == null) {
            return Page.text(401, "the token is not valid");
        }
        return user.admin()
                ? null
                : Page.text(
                        403, user.describe() + " is not an administrator; set admin = true in the broker's rbmq.users");
    }

    @Override
    public void close() {
        server.close();
    }
}

package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.AdminInterface;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.rbmq.broker.AdminSettings;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.settings.SettingsReader;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLSocketFactory;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that use a broker's admin interface. */
final class AdminOptions {
    private static final String TLS = "tls";
    private static final String CA = "rocketbufs.tls.ca";
    /** The key for certificate authorities that apply only to the admin interface. */
    private static final String OWN_CA = "rbmq.admin.tls.ca";

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            converter = AdminAddress.Converter.class,
            description =
                    "Address of the broker's admin interface, optionally preceded by https:// or http://; by default"
                            + ", the configured address (127.0.0.1:7611 if none is configured).")
    AdminAddress admin;

    @Mixin
    TokenOption token = new TokenOption();

    @Mixin
    TlsOptions tls = new TlsOptions();

    @Mixin
    ConfigOptions config = RbmqConfiguration.clientOptions(token, tls);

    /**
     * Returns a client of the admin interface.
     *
     * @throws CommandFailure if the client would send a token unencrypted to another machine even though TLS is
     *     configured
     */
    AdminClient client() {
        Config loaded = config.load(AdminSettings::from, ClientSettings::from);
        AdminSettings configured = AdminSettings.from(loaded);
        InetSocketAddress address = admin == null ? configured.resolve() : admin.address();
        boolean isRemoteWithTls = !AdminAddress.isLocal(address) && hasTls(loaded);
        String presented = ClientSettings.from(loaded).token();
        HostPort target = new HostPort(address.getHostString(), address.getPort());
        AdminInterface server = new AdminInterface("an RBMQ broker", target)
                .withToken(presented, "set --token-file, RBMQ_TOKEN or rbmq.client.token");
        if (isEncrypted(configured, isRemoteWithTls)) {
            return new AdminClient(server.withTls(trust(loaded)));
        }
        if (isRemoteWithTls && !presented.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "--admin http://" + target
                            + ": does not send the token unencrypted to another machine, because TLS is"
                            + " configured; use --admin https://" + target
                            + " and set rbmq.admin.tls.enabled = on at the"
                            + " broker, or remove rocketbufs.tls.ca, rbmq.admin.tls.ca, RBMQ_CA and transport tls");
        }
        return new AdminClient(server);
    }

    private boolean isEncrypted(AdminSettings configured, boolean isRemoteWithTls) {
        if (admin != null && admin.scheme() != null) {
            return admin.scheme().equals("https");
        }
        return configured.tls() != null || tls.areUsed() || isRemoteWithTls;
    }

    /** Returns true if the configuration requires TLS for the broker or its admin interface. */
    private static boolean hasTls(Config loaded) {
        return !(text(loaded, CA) + text(loaded, OWN_CA)).isEmpty()
                || ClientSettings.publisher(loaded).transport().equals(TLS)
                || ClientSettings.subscriber(loaded).transport().equals(TLS)
                || text(loaded, "rocketbufs.transport").equals(TLS);
    }

    private SSLSocketFactory trust(Config loaded) {
        boolean isOwn = tls.ca == null && !text(loaded, OWN_CA).isEmpty();
        String key = isOwn ? OWN_CA : CA;
        return AdminTrust.of(key, text(loaded, key));
    }

    private static String text(Config loaded, String key) {
        int dot = key.lastIndexOf('.');
        return new SettingsReader(loaded, key.substring(0, dot)).text(key.substring(dot + 1));
    }
}

package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.rbmq.broker.AdminSettings;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.settings.SettingsReader;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that use a broker's admin interface. */
final class AdminOptions {
    private static final String TLS = "tls";

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            converter = AdminAddress.Converter.class,
            description = "Address of the broker's admin interface, also with https:// or http:// in front; by default"
                    + " the configured one, which is 127.0.0.1:7611.")
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
     * @throws CommandFailure when it would send a token unencrypted to another machine although TLS is configured
     */
    AdminClient client() {
        Config loaded = config.load(AdminSettings::from, ClientSettings::from);
        AdminSettings configured = AdminSettings.from(loaded);
        InetSocketAddress address = admin == null ? configured.resolve() : admin.address();
        boolean isRemoteWithTls = !AdminAddress.isLocal(address) && hasTls(loaded);
        String presented = ClientSettings.from(loaded).token();
        String host = address.getHostString();
        int port = address.getPort();
        if (isEncrypted(configured, isRemoteWithTls)) {
            return new AdminClient(host, port, presented, AdminTrust.of(ca(loaded)));
        }
        if (isRemoteWithTls && !presented.isEmpty()) {
            String text = new HostPort(host, port).toString();
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "--admin http://" + text
                            + ": does not send the token unencrypted to another machine, because TLS is"
                            + " configured; use --admin https://" + text + " and set rbmq.admin.tls.enabled = on at the"
                            + " broker, or remove rocketbufs.tls.ca, RBMQ_CA and transport tls");
        }
        return new AdminClient(host, port, presented, null);
    }

    private boolean isEncrypted(AdminSettings configured, boolean isRemoteWithTls) {
        if (admin != null && admin.scheme() != null) {
            return admin.scheme().equals("https");
        }
        return configured.tls() != null || tls.areUsed() || isRemoteWithTls;
    }

    /** Returns true when the clients of this configuration connect to brokers with TLS. */
    private static boolean hasTls(Config loaded) {
        return !ca(loaded).isEmpty()
                || ClientSettings.publisher(loaded).transport().equals(TLS)
                || ClientSettings.subscriber(loaded).transport().equals(TLS)
                || new SettingsReader(loaded, "rocketbufs").text("transport").equals(TLS);
    }

    private static String ca(Config loaded) {
        return new SettingsReader(loaded, "rocketbufs.tls").text("ca");
    }
}

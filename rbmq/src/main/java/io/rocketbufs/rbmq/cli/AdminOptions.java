package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rbmq.broker.AdminSettings;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.settings.SettingsReader;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLSocketFactory;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that use a broker's admin interface. */
final class AdminOptions {
    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            converter = Units.AddressConverter.class,
            description = "Address of the broker's admin interface; by default the configured one, which is"
                    + " 127.0.0.1:7611.")
    InetSocketAddress admin;

    @Mixin
    TokenOption token = new TokenOption();

    @Mixin
    ConfigOptions config = RbmqConfiguration.clientOptions(token, new TlsOptions());

    AdminClient client() {
        Config loaded = config.load(AdminSettings::from, ClientSettings::from);
        AdminSettings configured = AdminSettings.from(loaded);
        String presented = ClientSettings.from(loaded).token();
        SSLSocketFactory tls = configured.tls() == null
                ? null
                : AdminTrust.of(new SettingsReader(loaded, "rocketbufs.tls").text("ca"));
        return admin == null
                ? new AdminClient(configured.host(), configured.port(), presented, tls)
                : new AdminClient(admin.getHostString(), admin.getPort(), presented, tls);
    }
}

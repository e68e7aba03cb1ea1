//! The packages of the workspace and what they depend on, as `cargo metadata` tells it.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::Fault;

/// Every package that goes into a build on this machine.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// The packages.
    pub(crate) packages: Vec<Package>,
}

/// One package.
#[derive(Debug, Clone, Default)]
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// Its licence, as an SPDX expression.
    pub(crate) licence: Option<String>,
    /// Whether it lies in this workspace.
    pub(crate) is_ours: bool,
    /// What it names in its manifest.
    pub(crate) dependencies: Vec<Dependency>,
}

/// One line of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// The name of the package.
    pub(crate) name: String,
    /// What it is needed for.
    pub(crate) need: Need,
    /// Whether it lies in this workspace.
    pub(crate) is_ours: bool,
}

/// What a dependency is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// The product.
    Product,
    /// Tests.
    Tests,
    /// The build script.
    Build,
}

impl Graph {
    /// Asks cargo. Changes nothing, except that cargo may complete its lock file.
    pub(crate) fn load(root: &Path) -> Result<Self, Fault> {
        let platform = host_platform()?;
        let output = Command::new(cargo())
            .args(["metadata", "--format-version", "1", "--filter-platform", &platform])
            .current_dir(root)
            .output()
            .map_err(|error| format!("run cargo: {error}"))?;
        if !output.status.success() {
            return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim()).into());
        }
        Ok(Self::from_metadata(&serde_json::from_slice(&output.stdout)?))
    }

    /// Takes what `cargo metadata` printed.
    pub(crate) fn from_metadata(metadata: &Value) -> Self {
        Self { packages: list(&metadata["packages"]).iter().map(package).collect() }
    }
}

/// The cargo that runs us, so that a toolchain chosen for it is chosen for all.
pub(crate) fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

fn host_platform() -> Result<String, Fault> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|error| format!("run rustc: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV names no host".into())
}

fn package(value: &Value) -> Package {
    Package {
        name: text(&value["name"]),
        version: text(&value["version"]),
        licence: value["license"].as_str().map(str::to_owned),
        is_ours: value["source"].is_null(),
        dependencies: list(&value["dependencies"]).iter().map(dependency).collect(),
    }
}

fn dependency(value: &Value) -> Dependency {
    let need = match value["kind"].as_str() {
        Some("dev") => Need::Tests,
        Some("build") => Need::Build,
        _ => Need::Product,
    };
    Dependency { name: text(&value["name"]), need, is_ours: value["path"].is_string() }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn metadata_is_read() {
        let graph = Graph::from_metadata(&json!({"packages": [{
            "name": "a", "version": "1.0.0", "license": "MIT", "source": null,
            "dependencies": [{"name": "b", "kind": "dev", "path": null}, {"name": "c", "kind": null, "path": "/c"}],
        }]}));
        let a = &graph.packages[0];
        assert!(a.is_ours);
        let needs: Vec<_> = a.dependencies.iter().map(|d| (d.name.as_str(), d.need, d.is_ours)).collect();
        assert_eq!(needs, [("b", Need::Tests, false), ("c", Need::Product, true)]);
    }
}
